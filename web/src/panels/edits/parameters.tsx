/** One parameter of an edit as a control: a slider with its number, a switch, a choice, or words. */
import { project } from '../../app/store'
import type { EditKind, EditParameter } from '../../messages'
import { NumberField, Select, Slider, Switch } from '../../ui/controls'

/** Bands of an octave each that the sliders begin with, the finest first. */
const BANDS = 5
const HIGHEST = 3
const isGains = (p: EditParameter) => p.name === 'gains' && p.kind === 'text'

export type Value = number | boolean | string

const WIDE = 1e5 // ranges beyond are no use as sliders

export function defaultsOf(kind: EditKind): { [name: string]: Value } {
  return Object.fromEntries(
    kind.parameters.map((p): [string, Value] => [
      p.name,
      isGains(p) && p.default === '' ? Array(BANDS).fill(1).join(', ') : p.default,
    ]),
  )
}

export function ParameterField({
  parameter: p,
  value,
  onChange,
}: {
  parameter: EditParameter
  value: Value
  onChange: (value: Value) => void
}) {
  const label = p.name.replace(/_/g, ' ')
  if (p.kind === 'switch')
    return (
      <div class="row" title={p.about}>
        <span class="row-label">{label}</span>
        <Switch on={Boolean(value)} label={label} onChange={(on) => onChange(on)} />
      </div>
    )
  if (p.kind === 'clip') {
    const clips = project.value?.clips ?? [],
      known = clips.some((c) => c.path === value) || value === ''
    return (
      <div class="parameter" title={p.about}>
        <span class="row-label">{label}</span>
        <Select
          value={String(value)}
          label={label}
          options={[
            ...(p.required && value !== '' ? [] : [['', 'choose a clip'] as const]),
            ...(known ? [] : [[String(value), String(value)] as const]),
            ...clips.filter((c) => c.state !== 'refused').map((c) => [c.path, c.name] as const),
          ]}
          onChange={(v) => onChange(v)}
        />
      </div>
    )
  }
  if (p.kind === 'choice')
    return (
      <div class="parameter" title={p.about}>
        <span class="row-label">{label}</span>
        <Select
          value={String(value)}
          label={label}
          options={[
            ...(value === '' ? [['', 'choose'] as const] : []),
            ...p.choices.map((c) => [c, c.replace(/_/g, ' ') || '–'] as const),
          ]}
          onChange={(v) => onChange(v)}
        />
      </div>
    )
  if (p.kind === 'number') {
    const n = Number(value),
      whole =
        Number.isInteger(p.least) && Number.isInteger(p.most) && Number.isInteger(p.default) && p.most - p.least > 4,
      digits = whole ? 0 : 2
    const slides = Number.isFinite(p.least) && Number.isFinite(p.most) && p.most - p.least < WIDE
    return (
      <div class="parameter parameter--number" title={p.about}>
        <span class="row-label">{label}</span>
        {slides ? (
          <Slider
            value={n}
            min={p.least}
            max={p.most}
            step={whole ? 1 : (p.most - p.least) / 200}
            label={label}
            text={`${n.toFixed(digits)} ${p.unit}`}
            onInput={(v) => onChange(v)}
          />
        ) : (
          <span />
        )}
        <NumberField
          value={n}
          label={label}
          unit={p.unit}
          digits={digits}
          onChange={(v) => onChange(Math.max(p.least, Math.min(p.most, v)))}
        />
      </div>
    )
  }
  if (isGains(p)) return <Gains value={String(value)} about={p.about} onChange={onChange} />
  return (
    <div class="parameter" title={p.about}>
      <span class="row-label">{label}</span>
      <span class="field">
        <input
          class="select"
          aria-label={label}
          value={String(value)}
          placeholder={p.about}
          list="clips-of-project"
          onChange={(e) => onChange(e.currentTarget.value)}
        />
      </span>
    </div>
  )
}

/** Gains of bands as a row of sliders, the finest band first; 1 leaves a band as it is, and a double click returns to it. */
function Gains({ value, about, onChange }: { value: string; about: string; onChange: (value: Value) => void }) {
  const gains = value
      .split(/[,\s]+/)
      .filter(Boolean)
      .map(Number),
    set = (i: number, v: number) => onChange(gains.map((g, k) => (k === i ? Number(v.toFixed(2)) : g)).join(', '))
  const resize = (n: number) => onChange(Array.from({ length: n }, (_, i) => gains[i] ?? 1).join(', '))
  return (
    <div class="gains" title={about}>
      <div class="gains-head">
        <span class="row-label">gains</span>
        <span class="muted">fine to coarse</span>
        <button type="button" class="link" onClick={() => onChange(gains.map(() => 1).join(', '))}>
          Reset
        </button>
      </div>
      <div class="gains-row" role="group" aria-label="Gains of bands">
        {gains.map((g, i) => (
          <label key={i} class="gain" onDblClick={() => set(i, 1)}>
            <span class="num">{g.toFixed(2)}</span>
            <input
              type="range"
              min={0}
              max={HIGHEST}
              step={0.05}
              value={g}
              aria-label={`Gain of band ${i}`}
              onInput={(e) => set(i, e.currentTarget.valueAsNumber)}
            />
            <span class="muted num">{i}</span>
          </label>
        ))}
        <span class="gains-count">
          <button
            type="button"
            class="link"
            aria-label="One band more"
            disabled={gains.length >= 10}
            onClick={() => resize(gains.length + 1)}
          >
            +
          </button>
          <button
            type="button"
            class="link"
            aria-label="One band less"
            disabled={gains.length <= 1}
            onClick={() => resize(gains.length - 1)}
          >
            −
          </button>
        </span>
      </div>
    </div>
  )
}
