/** The network of a page, from above: the studio's map, of which only the point moves. */
import { useMemo, useRef } from 'preact/hooks'
import type { Block } from '../messages'
import { mapScale, rangeOf, type Pad, type Spot } from '../network/geometry'
import { NetworkMap, type Weighted } from '../network/map'
import { useSize } from '../ui/controls'
import { fmt } from '../ui/format'
import type { Plan } from './content'

const PAD: Pad = { l: 44, r: 24, t: 24, b: 40 }

export function PointMap({
  plan,
  goal,
  follows,
  hidden,
  onPoint,
}: {
  plan: Plan
  goal: Spot
  follows: Spot
  hidden: boolean
  onPoint: (x: number, y: number) => void
}) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    held = useRef(false)
  const block = useMemo(() => blockOf(plan), [plan]),
    scale = mapScale(rangeOf(block.nodes), w, h, PAD, true)
  const move = (e: PointerEvent) => {
    const box = (e.currentTarget as Element).getBoundingClientRect()
    onPoint(scale.ux(e.clientX - box.left), scale.uy(e.clientY - box.top))
  }
  const { theme } = document.documentElement.dataset
  return (
    <div class="network-canvas" ref={attach}>
      {w > 0 && h > 0 ? (
        <svg
          class="network-map"
          width={w}
          height={h}
          viewBox={`0 0 ${w} ${h}`}
          aria-label={`Network of ${block.nodes.length} motions`}
          onPointerDown={(e) => {
            held.current = true
            e.currentTarget.setPointerCapture(e.pointerId)
            move(e)
          }}
          onPointerMove={(e) => {
            if (held.current) move(e)
          }}
          onPointerUp={() => {
            held.current = false
          }}
          onPointerCancel={() => {
            held.current = false
          }}
        >
          <NetworkMap
            w={w}
            h={h}
            block={block}
            scale={scale}
            pad={PAD}
            triangles={block.triangles}
            weights={sharesOf(plan, goal)}
            point={goal}
            follows={follows}
            hidden={hidden}
            units={['°/s', 'm/s']}
            theme={theme ?? 'dark'}
            sided
          />
          <text class="axis-title" x={w - PAD.r} y={h - 6} text-anchor="end">
            turn, °/s
          </text>
          <text class="axis-title" x={12} y={14}>
            speed, m/s
          </text>
        </svg>
      ) : null}
    </div>
  )
}

/** The nodes as the map wants them. */
function blockOf(plan: Plan): Block {
  const { name, nodes, at, seconds, speeds, turns, triangles } = plan
  return {
    name,
    outline: [],
    buffers: [],
    triangles: triangles as Block['triangles'],
    nodes: nodes.map((node, i) => ({
      name: node,
      at: at[i] as unknown as [number, number],
      period: seconds[i],
      speed: speeds[i],
      turn: turns[i],
      plants: {},
      clip: '',
      source: '',
      transition: false,
      synchronised: true,
      offset: 0,
    })),
  }
}

export function Shares({ plan, goal }: { plan: Plan; goal: Spot }) {
  const rows = sharesOf(plan, goal)
    .filter((one) => one.weight > 0.005)
    .sort((a, b) => b.weight - a.weight)
  return (
    <div class="section page-shares">
      <h3 class="section-title">
        <span>Weights</span>
      </h3>
      {rows.map(({ node, weight }) => (
        <div key={node} class="page-share">
          <div>
            <div class="weight-name">
              <span>{plan.nodes[node]}</span>
              <span class="num muted">{fmt(plan.seconds[node])} s</span>
            </div>
            <div class="weight-bar">
              <i style={{ width: `${100 * weight}%` }} />
            </div>
          </div>
          <div class="weight-value num">
            {Math.round(100 * weight)}
            <small>%</small>
          </div>
        </div>
      ))}
    </div>
  )
}

export function Readout({ label, value, unit, note }: { label: string; value: string; unit: string; note: string }) {
  return (
    <div class="readout">
      <div class="readout-label">{label}</div>
      <div class="readout-value num">
        {value}
        <small>{unit}</small>
      </div>
      {note ? <div class="readout-note num">{note}</div> : null}
    </div>
  )
}

/** Shares of the network's own motions at a point; the loops between them are how the page gets there. */
export function sharesOf(plan: Plan, [x, y]: Spot): Weighted[] {
  const at = plan.at,
    near = 1e-6
  for (const row of plan.triangles) {
    const [a, b, c] = row.map((i) => at[i])
    if (row.length === 3) {
      const d = (b[1] - c[1]) * (a[0] - c[0]) + (c[0] - b[0]) * (a[1] - c[1])
      const u = ((b[1] - c[1]) * (x - c[0]) + (c[0] - b[0]) * (y - c[1])) / d,
        v = ((c[1] - a[1]) * (x - c[0]) + (a[0] - c[0]) * (y - c[1])) / d
      if (Math.min(u, v, 1 - u - v) >= -near) return [u, v, 1 - u - v].map((weight, k) => ({ node: row[k], weight }))
    } else if (row.length === 2) {
      const dx = b[0] - a[0],
        dy = b[1] - a[1],
        u = ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy)
      if (u >= -near && u <= 1 + near) return [1 - u, u].map((weight, k) => ({ node: row[k], weight }))
    }
  }
  return [{ node: 0, weight: 1 }]
}
