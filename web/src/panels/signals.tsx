/** Signals: what the harmonics of one or two motions and of their blend look like, and where blending distorts steps. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Panel } from '../app/panels'
import { act, block, calmHero, hello, maps, network, people, project, tell } from '../app/store'
import { FRAME } from '../messages'
import { LiveStage } from '../stage/live'
import { Button, CodeLine, Note, Section, Select, Slider, Switch } from '../ui/controls'
import { fmt, signed } from '../ui/format'
import { useAsk } from './ask'
import { CurveChart, SpectrumChart, TraceChart, type Series } from './signals/charts'
import { DofList } from './signals/dofs'
import { DistortionChart } from './signals/distortion'
import './panels.css'

const MOST = 20 // harmonics that the slider goes to
const dof = signal(''),
  first = signal(''),
  second = signal(''),
  atWorst = signal(true)

function Signals() {
  const view = network.value,
    b = block.value,
    person = view ? people.get(view.body) : undefined
  const names = b?.nodes.filter((n) => !n.transition).map((n) => n.name) ?? []
  const leg =
    person && person.skeleton.roles.left_knee !== undefined
      ? person.skeleton.names[person.skeleton.roles.left_knee]
      : (view?.dofs[0] ?? '')
  const chosen =
    dof.value && (view?.dofs.includes(dof.value) || person?.skeleton.names.includes(dof.value)) ? dof.value : leg
  const corners = usualPair(names)
  const a = names.includes(first.value) ? first.value : (corners[0] ?? ''),
    c = names.includes(second.value) || second.value === NONE ? second.value : (corners[1] ?? '')
  const fields = calmHero.value?.fields,
    point: [number, number] | null = fields
      ? [round(fields[FRAME.point_x], 0.5), round(fields[FRAME.point_y], 0.01)]
      : null
  const most = view?.most_harmonics ?? MOST,
    [held, hold] = useState<number | null>(null),
    used = Math.min(held ?? view?.harmonics ?? most, most)
  const revision = view?.revision ?? 0
  const common = { type: 'ask_spectra' as const, dof: chosen, point, block: b?.name ?? '' }
  const whole = useAsk(
    chosen && b ? { ...common, sources: unique([a, c === NONE ? a : c, '']), harmonics: most } : null,
    'spectra',
    revision,
  )
  const cut = useAsk(
    chosen && b && used < most ? { ...common, sources: [''], harmonics: used } : null,
    'spectra',
    revision,
  )
  const layer = maps.value[`distortion:${b?.name ?? ''}`]
  useEffect(() => {
    if (b && !layer) tell({ type: 'ask_map', layer: 'distortion', block: b.name })
  }, [b?.name, revision, Boolean(layer)])
  const worst = atWorst.value && layer ? layer.worst : null,
    tracePoint = worst ?? point
  const traces = useAsk(
    b && tracePoint ? { type: 'ask_traces', point: tracePoint, block: b.name } : null,
    'traces',
    revision,
  )
  const drag = useRef(0)
  // What a hand has set stays until the server is there too: answers to earlier moves must not pull the slider back.
  const setHarmonics = (n: number) => {
    hold(n)
    void act({ type: 'set_harmonics', harmonics: n, drag: drag.current }).then((done) => {
      if (!done) hold(null)
    })
  }
  useEffect(() => {
    hold((now) => (now === view?.harmonics ? null : now))
  }, [view?.harmonics, held]) // what is held now: another key may have been pressed since
  const motions = whole.data?.motions ?? [],
    unit = whole.data?.unit ?? '°'
  const series: Series[] = motions.map((m, i) => ({
    name: m.name,
    kind: i === motions.length - 1 ? 'blend' : i === 0 ? 'a' : 'b',
    curve: m.curve,
    magnitudes: m.magnitudes,
    phases: m.phases,
    source: m.source,
  }))
  const blend = series.at(-1),
    shown = cut.data && used < most ? cut.data.motions[0]?.curve : undefined
  const pick = (value: string, set: (v: string) => void, label: string, none: boolean) => (
    <span class="series-pick">
      <Select
        value={value}
        label={label}
        options={[...(none ? [[NONE, 'none'] as const] : []), ...names.map((n) => [n, n] as const)]}
        onChange={set}
      />
    </span>
  )
  const joint = chosen.split('.')[0],
    what = chosen === joint ? 'flexion' : chosen.slice(joint.length + 1)
  return (
    <main class="workspace--signals">
      <DofList
        dofs={view?.dofs ?? []}
        skeleton={person?.skeleton}
        chosen={chosen}
        onChoose={(d) => {
          dof.value = d
        }}
      />
      <div class="signal-grid">
        <section class="chart chart--wide" aria-label="Curves">
          <div class="panel-head">
            <h2 class="panel-title">
              {joint}, {what}
            </h2>
            <span class="muted chart-note">{unit === '°' ? 'degrees' : unit || 'component'} over one cycle</span>
            <span class="grow" />
            <span class="legend">
              <span class="legend-pick">
                <i class="swatch swatch--a" />
                {pick(
                  a,
                  (v) => {
                    first.value = v
                  },
                  'First motion',
                  false,
                )}
              </span>
              <span class="legend-pick">
                <i class="swatch swatch--b" />
                {pick(
                  c || NONE,
                  (v) => {
                    second.value = v
                  },
                  'Second motion',
                  true,
                )}
              </span>
              <span>
                <i class="swatch swatch--accent" />
                blend, <b class="num">{used}</b> harmonics
              </span>
            </span>
          </div>
          <CurveChart
            series={series}
            cut={shown}
            unit={unit}
            failed={whole.failed}
            foot={sideOf(
              joint,
              person?.skeleton.roles ?? {},
              person?.skeleton.names ?? [],
              person?.skeleton.parents ?? [],
            )}
          />
        </section>
        <section class="chart" aria-label="Magnitude">
          <div class="panel-head">
            <h2 class="panel-title">Magnitude</h2>
            <span class="muted">
              {chosen}
              {unit ? `, ${unit}` : ''}, log
            </span>
          </div>
          <SpectrumChart what="magnitude" series={series} used={used} />
        </section>
        <section class="chart" aria-label="Phase angle">
          <div class="panel-head">
            <h2 class="panel-title">Phase angle</h2>
            <span class="muted">{chosen}, degrees</span>
          </div>
          <SpectrumChart what="phase" series={series} used={used} />
        </section>
        <section class="chart" aria-label="Foot traces">
          <div class="panel-head">
            <h2 class="panel-title">Foot traces</h2>
            <button
              type="button"
              class="link"
              onClick={() => {
                atWorst.value = !atWorst.value
              }}
            >
              {worst ? 'at the worst spot' : 'at the point'}, mm
            </button>
            <span class="grow" />
            <span class="legend">
              <span>
                <i class="swatch swatch--thin" />
                sources
              </span>
              <span>
                <i class="swatch swatch--dash" />
                ideal
              </span>
            </span>
          </div>
          <TraceChart traces={traces.data} failed={traces.failed} />
        </section>
        <section class="chart" aria-label="Distortion">
          <div class="panel-head">
            <h2 class="panel-title">Distortion</h2>
            <span class="muted num">{layer ? `mean ${fmt(layer.mean, 3)} ${layer.unit}` : 'measuring …'}</span>
          </div>
          {b && layer ? <DistortionChart block={b} layer={layer} /> : <div class="chart-canvas" />}
        </section>
      </div>
      <aside class="panel divider-v" aria-label="Harmonics and rules">
        <LiveStage class="pip" view={{ distance: 5.8, pitch: 0.25, shiftX: 0 }} label="The character">
          <span class="pip-label chip">blend{blend && view?.single_source ? ', single source' : ''}</span>
        </LiveStage>
        <div class="panel-body">
          <Section title="Harmonics" end={`1–${Math.min(MOST, most)}`}>
            <div class="slider-row">
              <Slider
                value={used}
                min={1}
                max={Math.min(MOST, Math.max(1, most))}
                label="Harmonics"
                onInput={(n) => {
                  if (!drag.current) drag.current = (Date.now() % 1e6) + 1
                  setHarmonics(n)
                }}
                onDone={() => {
                  drag.current = 0
                }}
              />
              <span class="fact-value num" data-harmonics>
                {used}
              </span>
            </div>
            <p class="muted report-note">{most} keep every detail of this network; 1 is a single swing.</p>
          </Section>
          <Section title="Rule">
            {view ? (
              <span class="wide-pick">
                <Select
                  value={view.rule}
                  label="Blend rule"
                  options={(hello.value?.rules ?? [view.rule]).map((r) => [r, r] as const)}
                  onChange={(rule) => act({ type: 'set_rule', rule })}
                />
              </span>
            ) : null}
          </Section>
          <SingleSource first={view?.single_source ?? null} most={most} />
          {layer ? (
            <Section title="Worst spot" end={`${fmt(layer.most, 3)} ${layer.unit}`}>
              <Note warn>
                {signed(layer.worst[0])} {view?.units[0]} at {fmt(layer.worst[1])} {view?.units[1]}. {whyOf(layer.why)}
              </Note>
              <div class="button-row">
                <Button class="grow" onClick={() => tell({ type: 'point', at: layer.worst, character: 0 })}>
                  Go there
                </Button>
                <Button
                  class="grow"
                  disabled={Boolean(view?.single_source)}
                  onClick={() => act({ type: 'set_single_source', first: Math.min(6, most) })}
                >
                  Try single source
                </Button>
              </div>
            </Section>
          ) : null}
        </div>
        <div class="panel-foot">
          <CodeLine
            text={
              view?.single_source
                ? `network.with_single_source(mo.SingleSource(first=${view.single_source}))`
                : project.value?.python?.startsWith('network')
                  ? project.value.python.split('\n')[0]
                  : `network.blend(point).truncated(${used})`
            }
          />
        </div>
      </aside>
    </main>
  )
}

const NONE = '–'
/** The reason without the place it begins with, which stands before it already. */
const whyOf = (why: string) => {
  const text = why.replace(/^[-+−\d., °/sm]*: /, '')
  return text ? text[0].toUpperCase() + text.slice(1).replace(/\.?$/, '.') : ''
}
const unique = (names: string[]) => [...new Set(names)]
const round = (v: number, step: number) => Number((Math.round(v / step) * step).toFixed(4))

/** Two motions that differ: the slowest and the fastest of those whose names say so, else the first and the last. */
function usualPair(names: readonly string[]): string[] {
  const slow = names.find((n) => /slow/.test(n) && !/left|right/.test(n)) ?? names[0],
    fast = names.find((n) => /fast/.test(n) && !/sharp/.test(n)) ?? names.at(-1)
  return [slow, fast === slow ? '' : fast].filter((n): n is string => Boolean(n))
}

function sideOf(
  joint: string,
  roles: Readonly<Record<string, number>>,
  names: readonly string[],
  parents: readonly number[],
): 'left' | 'right' | null {
  for (let j = names.indexOf(joint); j >= 0; j = parents[j]) {
    if (j === roles.left_hip || j === roles.left_shoulder) return 'left'
    if (j === roles.right_hip || j === roles.right_shoulder) return 'right'
  }
  return null
}

function SingleSource({ first: from, most }: { first: number | null; most: number }) {
  const [kept, keep] = useState(6),
    value = from ?? Math.min(kept, most)
  return (
    <Section title="Single source">
      <div class="row">
        <span class="row-label">Upper harmonics from one node</span>
        <Switch
          on={from !== null}
          label="Upper harmonics from one node"
          onChange={(on) => act({ type: 'set_single_source', first: on ? value : null })}
        />
      </div>
      <div class="row">
        <span class="row-label">From harmonic</span>
        <span class="stepper num">
          <Button kind="quiet" size="sm" aria-label="One lower" disabled={value <= 1} onClick={() => set(value - 1)}>
            −
          </Button>
          {value}
          <Button
            kind="quiet"
            size="sm"
            aria-label="One higher"
            disabled={value >= most}
            onClick={() => set(value + 1)}
          >
            +
          </Button>
        </span>
      </div>
    </Section>
  )
  function set(n: number): void {
    keep(n)
    if (from !== null) void act({ type: 'set_single_source', first: n })
  }
}

export const panel: Panel = { id: 'signals', title: 'Signals', order: 40, View: Signals }
