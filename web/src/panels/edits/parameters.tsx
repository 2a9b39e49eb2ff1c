/** One parameter of an edit as a control: a slider with its number, a switch, a choice, or words. */
import type { EditKind, EditParameter } from '../../messages'
import { NumberField, Select, Slider, Switch } from '../../ui/controls'

export type Value = number | boolean | string

const WIDE = 1e5 // ranges beyond are no use as sliders

export function defaultsOf(kind: EditKind): { [name: string]: Value } {
  return Object.fromEntries(kind.parameters.map((p): [string, Value] => [p.name, p.default]))
}

export function ParameterField({ parameter: p, value, onChange }: { parameter: EditParameter; value: Value; onChange: (value: Value, done: boolean) => void }) {
  const label = p.name.replace(/_/g, ' ')
  if (p.kind === 'switch') return <div class="row" title={p.about}><span class="row-label">{label}</span><Switch on={Boolean(value)} label={label} onChange={(on) => onChange(on, true)} /></div>
  if (p.kind === 'choice') return <div class="parameter" title={p.about}><span class="row-label">{label}</span><Select value={String(value)} label={label} options={p.choices.map((c) => [c, c || '–'] as const)} onChange={(v) => onChange(v, true)} /></div>
  if (p.kind === 'number') {
    const n = Number(value), whole = Number.isInteger(p.least) && Number.isInteger(p.most) && Number.isInteger(p.default) && p.most - p.least > 4, digits = whole ? 0 : 2
    const slides = Number.isFinite(p.least) && Number.isFinite(p.most) && p.most - p.least < WIDE
    return (
      <div class="parameter parameter--number" title={p.about}><span class="row-label">{label}</span>
        {slides ? <Slider value={n} min={p.least} max={p.most} step={whole ? 1 : (p.most - p.least) / 200} label={label} text={`${n.toFixed(digits)} ${p.unit}`} onInput={(v) => onChange(v, false)} onDone={(v) => onChange(v, true)} /> : <span />}
        <NumberField value={n} label={label} unit={p.unit} digits={digits} onChange={(v) => onChange(Math.max(p.least, Math.min(p.most, v)), true)} /></div>
    )
  }
  return <div class="parameter" title={p.about}><span class="row-label">{label}</span><span class="field"><input class="select" aria-label={label} value={String(value)} placeholder={p.about} list="clips-of-project" onChange={(e) => onChange(e.currentTarget.value, true)} /></span></div>
}
