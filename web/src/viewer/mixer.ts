/**
 * Closed loops, mixed: poses and root motion at a point between them.
 *
 * Loops are made by the engine, in step and with their feet held; here the three around the point are averaged sample
 * by sample, by the point's barycentric weights. At a loop's own place that is the loop itself. Blending of harmonics
 * and holding of feet stay with the engine.
 */
import type { Pose } from '../stage/figure'
import { unpack, type PackedBlock } from './content'

export interface Place { corners: number[]; weights: number[]; point: [number, number]; inside: boolean }

const TURN = 2 * Math.PI
const EASE = 0.3 // s in which the point goes nine tenths of its way, as a player's does
const FADE = 0.3 // s in which one block goes over into another

export class Grid {
  readonly joints: number
  readonly samples: number
  private constructor(
    readonly block: PackedBlock,
    readonly rotations: Float32Array,
    readonly heights: Float32Array,
    readonly steps: Float32Array,
    readonly planted: Float32Array,
  ) {
    this.samples = block.rotations.shape[0]
    this.joints = block.rotations.shape[2]
  }

  static async of(block: PackedBlock): Promise<Grid> {
    const [q, h, s, p] = await Promise.all([block.rotations, block.heights, block.steps, block.planted].map(unpack))
    return new Grid(block, q, h, s, p)
  }

  get loops(): number { return this.block.at.length }

  /** Where a point lies; outside, the nearest place of the outline, by the shape of the map. */
  place(x: number, y: number): Place {
    const at = this.block.at
    let best: (Place & { distance: number }) | null = null
    const xs = at.map((p) => p[0]), ys = at.map((p) => p[1])
    const sx = Math.max(1e-9, Math.max(...xs) - Math.min(...xs)), sy = Math.max(1e-9, Math.max(...ys) - Math.min(...ys))
    const offer = (corners: number[], weights: number[]) => {
      const point: [number, number] = [0, 0]
      corners.forEach((c, k) => { point[0] += weights[k] * at[c][0]; point[1] += weights[k] * at[c][1] })
      const distance = Math.hypot((point[0] - x) / sx, (point[1] - y) / sy)
      if (!best || distance < best.distance) best = { corners, weights, point, inside: false, distance }
    }
    for (const row of this.block.corners) {
      if (row.length === 3) {
        const [a, b, c] = row.map((i) => at[i]), d = (b[1] - c[1]) * (a[0] - c[0]) + (c[0] - b[0]) * (a[1] - c[1])
        const u = ((b[1] - c[1]) * (x - c[0]) + (c[0] - b[0]) * (y - c[1])) / d, v = ((c[1] - a[1]) * (x - c[0]) + (a[0] - c[0]) * (y - c[1])) / d
        if (Math.min(u, v, 1 - u - v) >= -1e-9) return { corners: row, weights: [u, v, 1 - u - v], point: [x, y], inside: true }
      }
      for (let i = 0; i < (row.length === 3 ? 3 : row.length - 1); i++) {
        const p = row[i], q = row[(i + 1) % row.length], dx = (at[q][0] - at[p][0]) / sx, dy = (at[q][1] - at[p][1]) / sy
        const u = Math.max(0, Math.min(1, (((x - at[p][0]) / sx) * dx + ((y - at[p][1]) / sy) * dy) / (dx * dx + dy * dy)))
        offer([p, q], [1 - u, u])
      }
      if (row.length === 1) offer(row, [1])
    }
    return best!
  }

  mean(values: readonly number[], place: Place): number {
    return place.corners.reduce((sum, c, k) => sum + place.weights[k] * values[c], 0)
  }
}

/** A character that walks by mixed loops. */
export class Walker {
  phase = 0 // radians
  time = 0
  x = 0
  z = 0
  yaw = 0
  point: [number, number]
  goal: [number, number]
  private stepYaw = 0 // heading at the last sample, in which steps are given
  private fading: { rotations: Float32Array; height: number; left: number } | null = null
  private last: { rotations: Float32Array; height: number } | null = null

  constructor(public grid: Grid, point: readonly number[]) {
    this.goal = this.point = grid.place(point[0] ?? 0, point[1] ?? 0).point
  }

  get place(): Place { return this.grid.place(this.point[0], this.point[1]) }
  get period(): number { return this.grid.mean(this.grid.block.seconds, this.place) }
  get speed(): number { return this.grid.mean(this.grid.block.speeds, this.place) }
  get turn(): number { return this.grid.mean(this.grid.block.turns, this.place) }

  /** Send the point somewhere; outside it stays on the outline. */
  steer(x: number, y: number): void { this.goal = this.grid.place(x, y).point }

  /** Go on with the loops of another block: the pose goes over, the point keeps its place as far as it can. */
  enter(grid: Grid): void {
    if (grid === this.grid) return
    if (this.last) this.fading = { ...this.last, left: FADE }
    this.grid = grid
    this.goal = this.point = grid.place(this.point[0], this.point[1]).point
    this.stepYaw = this.yaw
  }

  advance(dt: number): void {
    const share = 1 - 10 ** (-dt / EASE)
    this.point = [0, 1].map((k) => this.point[k] + share * (this.goal[k] - this.point[k])) as [number, number]
    const { samples, steps, loops } = this.grid, place = this.place
    let left = (dt / this.period) * samples
    while (left > 1e-12) {
      const s = (this.phase / TURN) * samples, i = Math.floor(s + 1e-9), part = Math.min(left, i + 1 - s), row = i % samples
      if (s - i < 1e-9) this.stepYaw = this.yaw
      let side = 0, ahead = 0, yaw = 0
      place.corners.forEach((c, k) => {
        const o = 3 * (row * loops + c), w = place.weights[k]
        side += w * steps[o]; ahead += w * steps[o + 1]; yaw += w * steps[o + 2]
      })
      const sin = Math.sin(this.stepYaw), cos = Math.cos(this.stepYaw)
      this.x += part * (side * cos + ahead * sin)
      this.z += part * (ahead * cos - side * sin)
      this.yaw += part * yaw
      this.phase = ((s + part) / samples) * TURN
      if (this.phase >= TURN - 1e-9) this.phase = 0
      left -= part
    }
    this.time += dt
    if (this.fading) { this.fading.left -= dt; if (this.fading.left <= 0) this.fading = null }
  }

  pose(): { pose: Pose; held: { L: boolean; R: boolean } } {
    const { samples, joints, loops, rotations: all, heights, planted } = this.grid, place = this.place
    const s = (this.phase / TURN) * samples, i = Math.floor(s + 1e-9), u = Math.max(0, s - i)
    // Catmull–Rom: through the samples, smooth between them.
    const shares = [-0.5 * u + u * u - 0.5 * u ** 3, 1 - 2.5 * u * u + 1.5 * u ** 3, 0.5 * u + 2 * u * u - 1.5 * u ** 3, -0.5 * u * u + 0.5 * u ** 3]
    const rotations = new Float32Array(4 * joints)
    const lead = place.corners[place.weights.indexOf(Math.max(...place.weights))]
    let height = 0
    place.corners.forEach((c, k) => shares.forEach((share, m) => {
      const row = (i + m - 1 + 2 * samples) % samples, w = place.weights[k] * share
      if (w === 0) return
      height += w * heights[row * loops + c]
      for (let j = 0; j < joints; j++) {
        const o = 4 * ((row * loops + c) * joints + j), r = 4 * (((i % samples) * loops + lead) * joints + j)
        const sign = all[o] * all[r] + all[o + 1] * all[r + 1] + all[o + 2] * all[r + 2] + all[o + 3] * all[r + 3] < 0 ? -w : w
        for (let n = 0; n < 4; n++) rotations[4 * j + n] += sign * all[o + n]
      }
    }))
    if (this.fading) {
      const old = this.fading, w = 0.5 - 0.5 * Math.cos(Math.PI * old.left / FADE)
      height = (1 - w) * height + w * old.height
      for (let j = 0; j < joints; j++) {
        let dot = 0
        for (let n = 0; n < 4; n++) dot += rotations[4 * j + n] * old.rotations[4 * j + n]
        for (let n = 0; n < 4; n++) rotations[4 * j + n] = (1 - w) * rotations[4 * j + n] + (dot < 0 ? -w : w) * old.rotations[4 * j + n]
      }
    }
    for (let j = 0; j < joints; j++) {
      const norm = Math.hypot(rotations[4 * j], rotations[4 * j + 1], rotations[4 * j + 2], rotations[4 * j + 3])
      for (let n = 0; n < 4; n++) rotations[4 * j + n] /= norm
    }
    this.last = { rotations: rotations.slice(), height }
    turnRoot(rotations, this.yaw)
    const o = 4 * ((i % samples) * loops + lead)
    return {
      pose: { root: [this.x, height, this.z], rotations },
      held: { L: planted[o] + planted[o + 1] > 0, R: planted[o + 2] + planted[o + 3] > 0 },
    }
  }
}

/** Turn the root by a heading: q ← (cos ½ψ, 0, sin ½ψ, 0) q. */
function turnRoot(q: Float32Array, yaw: number): void {
  const c = Math.cos(yaw / 2), s = Math.sin(yaw / 2), [w, x, y, z] = q
  q[0] = c * w - s * y; q[1] = c * x + s * z; q[2] = c * y + s * w; q[3] = c * z - s * x
}
