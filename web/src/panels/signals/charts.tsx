/** Charts of signals: curves over a cycle, magnitudes and phase angles by harmonic, foot traces from above. */
import { block, hero } from '../../app/store'
import { FRAME, type Traces } from '../../messages'
import { useSize } from '../../ui/controls'
import { decimals, fmt, path, ticks } from '../../ui/format'

export interface Series {
  name: string
  kind: 'a' | 'b' | 'blend'
  curve: readonly number[]
  magnitudes: readonly number[]
  phases: readonly number[]
  source: readonly number[]
}
type Spot = readonly [number, number]

const extent = (values: readonly number[]): [number, number] => {
  let low = Infinity,
    high = -Infinity
  for (const v of values) {
    if (v < low) low = v
    if (v > high) high = v
  }
  return [low, high]
}

export function CurveChart({
  series,
  cut,
  unit,
  failed,
  foot,
}: {
  series: readonly Series[]
  cut: readonly number[] | undefined
  unit: string
  failed: string
  foot: 'left' | 'right' | null
}) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    x0 = 48,
    x1 = w - 24,
    y0 = 8,
    y1 = h - 28
  if (!series.length || w < 80)
    return (
      <div class="chart-canvas clip-quiet muted" ref={attach}>
        {failed}
      </div>
    )
  const [low, high] = extent([...series.flatMap((s) => [...s.curve]), ...(cut ?? [])]),
    span = Math.max(1e-6, high - low),
    marks = ticks(low - 0.04 * span, high + 0.04 * span, Math.max(3, h / 56))
  const step = marks.length > 1 ? marks[1] - marks[0] : 1,
    lo = Math.floor((low - 0.02 * span) / step) * step,
    hi = Math.ceil((high + 0.02 * span) / step) * step,
    digits = decimals(marks)
  const X = (u: number) => x0 + u * (x1 - x0),
    Y = (v: number) => y1 - ((v - lo) / Math.max(1e-9, hi - lo)) * (y1 - y0)
  const closed = (v: readonly number[]) => path([...v, v[0]].map((q, i): Spot => [X(i / v.length), Y(q)]))
  const lines: number[] = []
  for (let v = lo; v <= hi + 1e-9 * span; v += step) lines.push(Math.abs(v) < 1e-9 * span ? 0 : v)
  const blend = series.find((s) => s.kind === 'blend')
  return (
    <div class="chart-canvas" ref={attach}>
      <svg viewBox={`0 0 ${w} ${h}`} width={w} height={h} role="img" aria-label="Curves over one cycle">
        {lines.map((v) => (
          <g key={v}>
            <line class="tick" x1={x0} x2={x1} y1={Y(v)} y2={Y(v)} />
            <text class="tick-label" x={x0 - 8} y={Y(v) + 4} text-anchor="end">
              {fmt(v, digits)}
              {unit === '°' ? '°' : ''}
            </text>
          </g>
        ))}
        {Array.from({ length: 9 }, (_, i) => (
          <text key={i} class="tick-label" x={X(i / 8)} y={h - 9} text-anchor="middle">
            {i * 45}°
          </text>
        ))}
        {foot ? <Plants foot={foot} X={X} y={y1 + 1} /> : null}
        {series
          .filter((s) => s.kind !== 'blend')
          .map((s) => (
            <path key={s.kind} class={`curve curve--${s.kind}`} data-series={s.kind} d={closed(s.curve)} />
          ))}
        {blend && cut ? <path class="curve curve--ref" d={closed(blend.curve)} /> : null}
        {blend ? <path class="curve curve--blend" data-series="blend" d={closed(cut ?? blend.curve)} /> : null}
        <Playhead X={X} y0={y0} y1={y1} />
      </svg>
    </div>
  )
}

/** The plants of the node that counts most at the point. */
function Plants({ foot, X, y }: { foot: 'left' | 'right'; X: (u: number) => number; y: number }) {
  const lead = hero.value?.fields[FRAME.node_a] ?? -1,
    node = block.value?.nodes[lead]
  const bars = [...(node?.plants[`${foot}_heel`] ?? []), ...(node?.plants[`${foot}_toe`] ?? [])].flatMap(([a, l]) =>
    a + l > 1
      ? [
          [a, 1],
          [0, a + l - 1],
        ]
      : [[a, a + l]],
  )
  return (
    <g>
      {bars.map(([a, b], i) => (
        <rect key={i} class={`plant--${foot}`} x={X(a)} y={y} width={Math.max(0, X(b) - X(a))} height={4} />
      ))}
    </g>
  )
}

function Playhead({ X, y0, y1 }: { X: (u: number) => number; y0: number; y1: number }) {
  const phase = hero.value?.fields[FRAME.phase] ?? 0,
    x = X(phase / (2 * Math.PI))
  return (
    <g class="playhead">
      <line x1={x} x2={x} y1={y0} y2={y1} />
    </g>
  )
}

export function SpectrumChart({
  what,
  series,
  used,
}: {
  what: 'magnitude' | 'phase'
  series: readonly Series[]
  used: number
}) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    x0 = 52,
    x1 = w - 16,
    y0 = 8,
    y1 = h - 28
  const n = Math.min(20, Math.max(0, ...series.map((s) => s.magnitudes.length - 1)))
  if (!n || w < 80) return <div class="chart-canvas" ref={attach} />
  const X = (k: number) => x0 + ((k - 0.5) / n) * (x1 - x0),
    bar = Math.max(2, (x1 - x0) / n / Math.max(2, series.length) - 4)
  const all = series.flatMap((s) => s.magnitudes.slice(1, n + 1)),
    top = Math.log10(Math.max(1e-9, ...all)) + 0.15,
    depth = 3.5
  const Y =
    what === 'magnitude'
      ? (v: number) => y1 - Math.max(0, (Math.log10(Math.max(v, 1e-12)) - top + depth) / depth) * (y1 - y0)
      : (v: number) => y1 - ((v + 180) / 360) * (y1 - y0)
  const powers = Array.from({ length: 5 }, (_, i) => Math.floor(top) - i).filter((p) => p > top - depth)
  const marks: [number, string][] =
    what === 'magnitude'
      ? powers.map((p) => [10 ** p, p >= 0 ? String(10 ** p) : (10 ** p).toFixed(-p)])
      : [
          [180, '+180'],
          [0, '0'],
          [-180, '−180'],
        ]
  const single = series.find((s) => s.kind === 'blend')?.source ?? []
  return (
    <div class="chart-canvas" ref={attach}>
      <svg
        viewBox={`0 0 ${w} ${h}`}
        width={w}
        height={h}
        role="img"
        aria-label={what === 'magnitude' ? 'Magnitudes by harmonic' : 'Phase angles by harmonic'}
      >
        {marks.map(([v, text]) => (
          <g key={text}>
            <line class="tick" x1={x0} x2={x1} y1={Y(v)} y2={Y(v)} />
            <text class="tick-label" x={x0 - 8} y={Y(v) + 4} text-anchor="end">
              {text}
            </text>
          </g>
        ))}
        {Array.from({ length: n }, (_, i) => i + 1).map((k) => (
          <g key={k} class={k > used ? 'bar--cut' : ''} data-harmonic={k}>
            <text
              class={`tick-label${(single[k] ?? -1) >= 0 ? ' tick-label--single' : ''}`}
              x={X(k)}
              y={h - 9}
              text-anchor="middle"
            >
              {k}
            </text>
            {series.map((s, i) => {
              const x = X(k) + (i - (series.length - 1) / 2) * (bar + 2),
                v = (what === 'magnitude' ? s.magnitudes : s.phases)[k]
              if (v === undefined) return null
              return what === 'magnitude' ? (
                <rect
                  key={s.kind}
                  class={`bar--${s.kind}`}
                  x={x - bar / 2}
                  y={Y(v)}
                  width={bar}
                  height={Math.max(0, y1 - Y(v))}
                  rx={1.5}
                >
                  <title>{`${s.name}, harmonic ${k}: ${v.toPrecision(3)}`}</title>
                </rect>
              ) : (
                <circle key={s.kind} class={`bar--${s.kind}`} cx={x} cy={Y(v)} r={3.5}>
                  <title>{`${s.name}, harmonic ${k}: ${fmt(v, 1)}°`}</title>
                </circle>
              )
            })}
          </g>
        ))}
        {used < n ? <line class="range-edge cut-line" x1={X(used + 0.5)} x2={X(used + 0.5)} y1={y0} y2={y1} /> : null}
      </svg>
    </div>
  )
}

export function TraceChart({ traces, failed }: { traces: Traces | null; failed: string }) {
  const [attach, { w, h }] = useSize<HTMLDivElement>()
  if (!traces || w < 80)
    return (
      <div class="chart-canvas clip-quiet muted" ref={attach}>
        {failed}
      </div>
    )
  const feet = traces.feet.slice(0, 2),
    half = w / Math.max(1, feet.length)
  return (
    <div class="chart-canvas" ref={attach}>
      <svg viewBox={`0 0 ${w} ${h}`} width={w} height={h} role="img" aria-label="Traces of both feet from above">
        {feet.map((foot, i) => {
          const side = foot.foot[0].toLowerCase() as 'l' | 'r',
            all = [...foot.blend, ...foot.reference, ...foot.inputs.flat()],
            [z0, z1] = extent(all.map((p) => p[1])),
            mx = 1.15 * Math.max(1, ...all.map((p) => Math.abs(p[0])))
          const ax = i * half + 44,
            aw = half - 60,
            X = (z: number) => ax + ((z1 - z) / Math.max(1e-6, z1 - z0)) * aw,
            Y = (x: number) => (h - 30) / 2 - ((x / mx) * (h - 48)) / 2,
            line = (rows: readonly (readonly number[])[]) => path(rows.map((p): Spot => [X(p[1]), Y(p[0])]))
          const mark = Math.round(0.7 * mx)
          return (
            <g key={foot.foot}>
              <line class="tick" x1={ax} x2={ax + aw} y1={Y(0)} y2={Y(0)} />
              <text class={`lane-${side}`} x={ax - 28} y={Y(0) + 4}>
                {side.toUpperCase()}
              </text>
              {[mark, -mark].map((v) => (
                <text key={v} class="tick-label" x={ax - 8} y={Y(v) + 4} text-anchor="end">
                  {v > 0 ? '+' : '−'}
                  {Math.abs(v)}
                </text>
              ))}
              {foot.inputs.map((rows, k) => (
                <path key={k} class="curve curve--thin curve--ink" d={line(rows)}>
                  <title>{foot.names[k]}</title>
                </path>
              ))}
              <path class="curve curve--ref" d={line(foot.reference)} />
              <path class={`curve curve--${side} curve--bold`} d={line(foot.blend)} />
              <text class="tick-label" x={ax} y={h - 9}>
                0
              </text>
              <text class="tick-label" x={ax + aw} y={h - 9} text-anchor="end">
                {Math.round(z1 - z0)} mm
              </text>
            </g>
          )
        })}
      </svg>
    </div>
  )
}
