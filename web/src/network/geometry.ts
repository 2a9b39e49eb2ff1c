/** Plane geometry of the network map. Only for drawing and for hands: blends and weights are the server's. */
import type { Block, NetworkView } from '../messages'

export type Spot = readonly [number, number]
export interface MapNode {
  name: string
  at: Spot
}

/** Triangles that are open: of the mode where there is one, else all of the block. */
export function openTriangles(network: NetworkView, block: Block, mode: number): readonly (readonly number[])[] {
  return network.modes[mode]?.triangles[block.name] ?? block.triangles
}

/** Scales of a map. Left turns lie left, so an axis of turns is drawn mirrored. */
export interface Scale {
  x: (v: number) => number
  y: (v: number) => number
  /** Back from pixels. */
  ux: (p: number) => number
  uy: (p: number) => number
  low: Spot
  high: Spot
}
export interface Pad {
  l: number
  r: number
  t: number
  b: number
}

export function rangeOf(nodes: readonly MapNode[]): { low: Spot; high: Spot } {
  const xs = nodes.map((n) => n.at[0]),
    ys = nodes.map((n) => n.at[1])
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const ex = 0.12 * (x1 - x0) || Math.max(5, 0.2 * Math.abs(x0)),
    ey = 0.15 * (y1 - y0) || Math.max(0.3, 0.2 * Math.abs(y0))
  return { low: [x0 - ex, y0 - 1.3 * ey], high: [x1 + ex, y1 + ey] }
}

export function mapScale(range: { low: Spot; high: Spot }, w: number, h: number, pad: Pad, mirrored: boolean): Scale {
  const [x0, x1] = mirrored ? [range.high[0], range.low[0]] : [range.low[0], range.high[0]],
    [y0, y1] = [range.low[1], range.high[1]]
  const iw = Math.max(1, w - pad.l - pad.r),
    ih = Math.max(1, h - pad.t - pad.b)
  return {
    x: (v) => pad.l + ((v - x0) / (x1 - x0)) * iw,
    y: (v) => h - pad.b - ((v - y0) / (y1 - y0)) * ih,
    ux: (p) => x0 + ((p - pad.l) / iw) * (x1 - x0),
    uy: (p) => y0 + ((h - pad.b - p) / ih) * (y1 - y0),
    low: range.low,
    high: range.high,
  }
}

const cross = (a: Spot, b: Spot, c: Spot): number => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])

export function inTriangle(p: Spot, a: Spot, b: Spot, c: Spot): boolean {
  const d = [cross(a, b, p), cross(b, c, p), cross(c, a, p)]
  return d.every((v) => v >= -1e-12) || d.every((v) => v <= 1e-12)
}

/** The nearest place of the network to a point, all in pixels of the map: where the hand's point is drawn. */
export function clampTo(
  p: Spot,
  corners: readonly Spot[],
  given: readonly (readonly number[])[],
): { at: Spot; inside: boolean } {
  const simplices = given.filter((t) => t.every((i) => i < corners.length))
  for (const t of simplices)
    if (t.length === 3 && inTriangle(p, corners[t[0]], corners[t[1]], corners[t[2]])) return { at: p, inside: true }
  let best: Spot = p,
    least = Infinity
  const near = (q: Spot) => {
    const d = Math.hypot(q[0] - p[0], q[1] - p[1])
    if (d < least) {
      least = d
      best = q
    }
  }
  for (const t of simplices) {
    if (t.length === 1) near(corners[t[0]])
    for (let i = 0; i < t.length && t.length > 1; i++) {
      const a = corners[t[i]],
        b = corners[t[(i + 1) % t.length]],
        dx = b[0] - a[0],
        dy = b[1] - a[1],
        l = dx * dx + dy * dy
      const u = l > 0 ? Math.max(0, Math.min(1, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / l)) : 0
      near([a[0] + u * dx, a[1] + u * dy])
    }
  }
  return { at: best, inside: least < 1e-9 }
}

/** Edges that two triangles share, and those of the outline: pairs of nodes, lower first. */
export function edgesOf(triangles: readonly (readonly number[])[]): { a: number; b: number; inner: boolean }[] {
  const count = new Map<string, number>()
  for (const t of triangles)
    for (let i = 0; i < t.length; i++) {
      const a = t[i],
        b = t[(i + 1) % t.length]
      if (a === b) continue
      const key = `${Math.min(a, b)} ${Math.max(a, b)}`
      count.set(key, (count.get(key) ?? 0) + 1)
    }
  return [...count].map(([key, n]) => {
    const [a, b] = key.split(' ').map(Number)
    return { a, b, inner: n > 1 }
  })
}

/** Whether moving one node keeps every triangle the way round it is: the preview of a drag; the server decides. */
export function staysSound(
  nodes: readonly Spot[],
  triangles: readonly (readonly number[])[],
  moved: number,
  to: Spot,
): boolean {
  const at = (i: number) => (i === moved ? to : nodes[i])
  return triangles.every(
    (t) =>
      t.length < 3 ||
      !t.includes(moved) ||
      Math.sign(cross(nodes[t[0]], nodes[t[1]], nodes[t[2]])) === Math.sign(cross(at(t[0]), at(t[1]), at(t[2]))),
  )
}

/** Round to a step where that is within a few pixels. */
export function snap(value: number, step: number, pixels: number, reach = 6): number {
  const near = Math.round(value / step) * step
  return Math.abs(near - value) * pixels <= reach ? Number(near.toFixed(6)) : value
}

type Box = readonly [number, number, number, number]
/** Names beside nodes: below or above, moved into the picture, left out where they would lie over others. */
export class Labels {
  private readonly boxes: Box[]

  constructor(
    points: readonly Spot[],
    private readonly lo: number,
    private readonly hi: number,
    private readonly floor = Infinity,
  ) {
    this.boxes = points.map(([x, y]) => [x - 7, y - 7, x + 7, y + 7])
  }

  /** Put no name here: `r` is half the width, `ry` half the height. */
  keepFree(x: number, y: number, r: number, ry = r): void {
    this.boxes.push([x - r, y - ry, x + r, y + ry])
  }

  private free(b: Box): boolean {
    return !this.boxes.some((o) => b[0] < o[2] && b[2] > o[0] && b[1] < o[3] && b[3] > o[1])
  }

  put(
    text: string,
    x: number,
    y: number,
    above: boolean,
    must = false,
    from: Spot | null = null,
  ): { x: number; y: number } | null {
    const half = (text.length * 5.6) / 2,
      up = y - 13,
      down = y + 22,
      first = above ? up : down,
      second = above ? down : up
    const tries: Spot[] = [0, 0.45, -0.45].map((k): Spot => [x + k * half, first])
    tries.push(...[0, 0.45, -0.45].map((k): Spot => [x + k * half, second]))
    if (must)
      tries.push(
        [x + half - 4, first],
        [x - half + 4, first],
        [x + half - 4, second],
        [x + 16 + half, y + 4],
        [x - 16 - half, y + 4],
        [x + half * 0.6, y + 36],
        [x - half * 0.6, y + 36],
      )
    if (from)
      tries.sort(
        (a, b) =>
          Number(Math.abs(a[1] - y) > 30) - Number(Math.abs(b[1] - y) > 30) ||
          Math.hypot(b[0] - from[0], b[1] - from[1]) - Math.hypot(a[0] - from[0], a[1] - from[1]),
      )
    for (const [tx, ty] of tries) {
      const c = Math.max(this.lo + half, Math.min(this.hi - half, tx)),
        box: Box = [c - half - 2, ty - 10, c + half + 2, ty + 3]
      if (ty > this.floor || !this.free(box)) continue
      this.boxes.push(box)
      return { x: c, y: ty }
    }
    if (!must) return null
    const c = Math.max(this.lo + half, Math.min(this.hi - half, x))
    this.boxes.push([c - half, first - 10, c + half, first + 3])
    return { x: c, y: first }
  }
}
