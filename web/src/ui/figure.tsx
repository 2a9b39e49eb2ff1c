/** A small skeleton seen from the side: points in millimetres from under the root, facing +z. */
import { segmentsOf, type Skeleton } from '../stage/figure'

export interface FigureOptions {
  x: number
  y: number
  scale: number
  turn?: number
  width?: number
  dim?: boolean
}

/** `points` holds joints, then end sites, three numbers each; `row` chooses one pose of many. */
export function Figure({
  skeleton,
  points,
  row = 0,
  x,
  y,
  scale,
  turn = 1.0,
  width = 1.6,
  dim = false,
}: FigureOptions & { skeleton: Skeleton; points: ArrayLike<number>; row?: number }) {
  const n = skeleton.names.length,
    count = n + skeleton.endJoints.length,
    c = Math.cos(turn),
    s = Math.sin(turn)
  const at = (j: number): [number, number] => {
    const o = (row * count + j) * 3
    return [x + ((points[o + 2] * s + points[o] * c) / 1000) * scale, y - (points[o + 1] / 1000) * scale]
  }
  const head = skeleton.roles.head,
    top = head === undefined ? -1 : skeleton.endJoints.indexOf(head)
  const line = { L: '', R: '', M: '' }
  for (const { from, to, side } of segmentsOf(skeleton)) {
    if (top >= 0 && to === n + top) continue
    const p = at(from),
      q = at(to)
    line[side] += `M${p[0].toFixed(1)} ${p[1].toFixed(1)}L${q[0].toFixed(1)} ${q[1].toFixed(1)}`
  }
  let skull = null
  if (top >= 0 && head !== undefined) {
    const a = at(head),
      b = at(n + top)
    skull = (
      <circle
        class="figure-m"
        cx={((a[0] + b[0]) / 2).toFixed(1)}
        cy={((a[1] + b[1]) / 2).toFixed(1)}
        r={Math.max(1.2, Math.hypot(a[0] - b[0], a[1] - b[1]) / 2).toFixed(1)}
      />
    )
  }
  return (
    <g class={`figure${dim ? ' figure--dim' : ''}`} stroke-width={width}>
      <path class="figure-r" d={line.R} />
      <path class="figure-m" d={line.M} />
      {skull}
      <path class="figure-l" d={line.L} />
    </g>
  )
}
