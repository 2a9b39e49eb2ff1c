/** Plants of both feet along a time axis, with a playhead to take hold of. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'

const POINTS = ['left', 'left', 'right', 'right'] as const

export interface LaneTick {
  at: number
  above: string
  below: string
}

/** `bars` are shares of the whole axis, from and until, for the four foot points; they may run over its end. */
export function Lanes({
  width,
  height,
  bars,
  ticks,
  at,
  label,
  value,
  onSeek,
}: {
  width: number
  height: number
  bars: readonly (readonly [number, number])[][]
  ticks: readonly LaneTick[]
  at: number
  label: string
  value: string
  /** Left out where the past is shown, which cannot be gone back to. */
  onSeek?: (share: number) => void
}) {
  const x0 = 56,
    x1 = Math.max(x0 + 40, width - 28),
    w = x1 - x0,
    held = useRef(false)
  const top = height < 100 ? 22 : 28,
    bar = height < 100 ? 8 : 10,
    rows = [top, top + bar + 2, top + 2 * bar + 11, top + 3 * bar + 13],
    bottom = rows[3] + bar
  const seek = (e: PointerEvent) => {
    const box = (e.currentTarget as SVGElement).getBoundingClientRect()
    onSeek?.(Math.max(0, Math.min(1, (e.clientX - box.left - x0) / w)))
  }
  const pieces: ComponentChildren[] = []
  bars.forEach((lane, i) =>
    lane.forEach(([from, until], k) => {
      for (const [a, b] of until > 1
        ? [
            [from, 1],
            [0, until - 1],
          ]
        : [[from, until]]) {
        pieces.push(
          <rect
            key={`${i}.${k}.${a}`}
            class={`plant plant--${POINTS[i]} ${i % 2 ? 'plant--toe' : ''}`}
            x={x0 + a * w}
            y={rows[i]}
            width={Math.max(1, (b - a) * w)}
            height={bar}
            rx={2}
          />,
        )
      }
    }),
  )
  return (
    <svg
      class="lanes"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-label={label}
      style={onSeek ? {} : { cursor: 'default' }}
      {...(onSeek
        ? ({
            role: 'slider',
            tabindex: 0,
            'aria-valuemin': 0,
            'aria-valuemax': 100,
            'aria-valuenow': Math.round(100 * at),
            'aria-valuetext': value,
          } as const)
        : ({ role: 'img' } as const))}
      onPointerDown={(e) => {
        held.current = true
        e.currentTarget.setPointerCapture(e.pointerId)
        seek(e)
      }}
      onPointerMove={(e) => {
        if (held.current) seek(e)
      }}
      onPointerUp={() => {
        held.current = false
      }}
      onPointerCancel={() => {
        held.current = false
      }}
      onKeyDown={(e) => {
        const by = { ArrowLeft: -0.01, ArrowRight: 0.01, Home: -1, End: 1 }[e.key]
        if (by && onSeek) {
          e.preventDefault()
          onSeek(Math.max(0, Math.min(1, at + by)))
        }
      }}
    >
      {ticks.map((t) => (
        <g key={t.at}>
          <line class="tick" x1={x0 + t.at * w} x2={x0 + t.at * w} y1={top - 4} y2={bottom + 4} />
          <text class="tick-label" x={x0 + t.at * w} y={top - 10} text-anchor="middle">
            {t.above}
          </text>
          <text class="tick-label" x={x0 + t.at * w} y={bottom + 18} text-anchor="middle">
            {t.below}
          </text>
        </g>
      ))}
      {rows.map((y) => (
        <rect key={y} class="lane" x={x0} y={y} width={w} height={bar} rx={2} />
      ))}
      {(['L', 'R'] as const).map((side, i) => (
        <g key={side}>
          <text class={`lane-${side.toLowerCase()}`} x={16} y={rows[2 * i] + bar}>
            {side}
          </text>
          <text class="lane-label" x={28} y={rows[2 * i] + bar - 1}>
            heel
          </text>
          <text class="lane-label" x={28} y={rows[2 * i + 1] + bar - 1}>
            toe
          </text>
        </g>
      ))}
      {pieces}
      {onSeek ? (
        <g class="playhead" transform={`translate(${x0 + at * w} 0)`}>
          <line x1={0} x2={0} y1={top - 8} y2={bottom + 4} />
          <path d={`M-5 ${top - 10}h10v4l-5 5-5-5z`} />
        </g>
      ) : null}
    </svg>
  )
}
