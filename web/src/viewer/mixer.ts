/**
 * Closed loops, mixed: poses and root motion at a point between them.
 *
 * Loops are made by the engine, in step and with their feet held; here the three around the point are averaged sample
 * by sample, by the point's barycentric weights. At a loop's own place that is the loop itself. Blending of harmonics
 * and holding of feet stay with the engine.
 */
import type { Pose } from '../stage/figure'
import type { Change } from './change'
import { heldIn, unpack, type PackedBlock } from './content'
import { lean, normal, product, turnRoot } from './rotations'

export interface Place {
  corners: number[]
  weights: number[]
  point: [number, number]
  inside: boolean
}

const TURN = 2 * Math.PI
const EASE = 0.3 // s in which the point covers 90 % of its way, as a player's does
const FADE = 0.3 // s in which the difference between two poses that meet fades
const NEAR = 0.03 // of the map's size: as near a point has to be to the place that a change begins at

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

  get loops(): number {
    return this.block.at.length
  }

  /** Where a point lies; outside, the nearest place of the outline, by the shape of the map. */
  place(x: number, y: number): Place {
    const at = this.block.at
    let best: (Place & { distance: number }) | null = null
    const xs = at.map((p) => p[0]),
      ys = at.map((p) => p[1])
    const sx = Math.max(1e-9, Math.max(...xs) - Math.min(...xs)),
      sy = Math.max(1e-9, Math.max(...ys) - Math.min(...ys))
    const offer = (corners: number[], weights: number[]) => {
      const point: [number, number] = [0, 0]
      corners.forEach((c, k) => {
        point[0] += weights[k] * at[c][0]
        point[1] += weights[k] * at[c][1]
      })
      const distance = Math.hypot((point[0] - x) / sx, (point[1] - y) / sy)
      if (!best || distance < best.distance) best = { corners, weights, point, inside: false, distance }
    }
    for (const row of this.block.corners) {
      if (row.length === 3) {
        const [a, b, c] = row.map((i) => at[i]),
          d = (b[1] - c[1]) * (a[0] - c[0]) + (c[0] - b[0]) * (a[1] - c[1])
        const u = ((b[1] - c[1]) * (x - c[0]) + (c[0] - b[0]) * (y - c[1])) / d,
          v = ((c[1] - a[1]) * (x - c[0]) + (a[0] - c[0]) * (y - c[1])) / d
        if (Math.min(u, v, 1 - u - v) >= -1e-9)
          return { corners: row, weights: [u, v, 1 - u - v], point: [x, y], inside: true }
      }
      for (let i = 0; i < (row.length === 3 ? 3 : row.length - 1); i++) {
        const p = row[i],
          q = row[(i + 1) % row.length],
          dx = (at[q][0] - at[p][0]) / sx,
          dy = (at[q][1] - at[p][1]) / sy
        const u = Math.max(
          0,
          Math.min(1, (((x - at[p][0]) / sx) * dx + ((y - at[p][1]) / sy) * dy) / (dx * dx + dy * dy)),
        )
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
  /** The change that is waited for, and the one that is played. */
  wanted: Change | null = null
  playing: { change: Change; seconds: number; x: number; z: number; yaw: number } | null = null
  /** What the pose before a seam differed by from the one after it; it fades away. */
  private fading: { turns: Float32Array; height: number; left: number } | null = null
  private last: { rotations: Float32Array; height: number } | null = null

  constructor(
    public grid: Grid,
    point: readonly number[],
    private readonly grids: readonly Grid[] = [grid],
  ) {
    this.goal = this.point = grid.place(point[0] ?? 0, point[1] ?? 0).point
  }

  get place(): Place {
    return this.grid.place(this.point[0], this.point[1])
  }
  get period(): number {
    return this.grid.mean(this.grid.block.seconds, this.place)
  }
  get speed(): number {
    return this.grid.mean(this.grid.block.speeds, this.place)
  }
  get turn(): number {
    return this.grid.mean(this.grid.block.turns, this.place)
  }

  /** Send the point somewhere; outside it stays on the outline. */
  steer(x: number, y: number): void {
    if (!this.playing) {
      this.wanted = null
      this.goal = this.grid.place(x, y).point
    }
  }

  /** Take a captured change: the point goes where it begins, and it is played when its moment comes. */
  take(change: Change): void {
    if (this.playing || change.packed.source !== this.grid.block.name) return
    this.goal = this.grid.place(change.packed.at[0], change.packed.at[1]).point
    this.wanted = change
  }

  /** Go on with the loops of another block at once: the point keeps its place as far as it can. */
  enter(grid: Grid): void {
    if (grid === this.grid || this.playing) return
    this.wanted = null
    const [x, y] = this.point
    this.over(() => {
      this.grid = grid
      this.goal = this.point = grid.place(x, y).point
      this.stepYaw = this.yaw
    })
  }

  /** Cross over to other poses: the difference is kept, and fades away. */
  private over(go: () => void): void {
    const before = this.last
    go()
    this.fading = null
    if (!before) return
    const { rotations: now, height } = this.local(),
      turns = new Float32Array(now.length)
    for (let j = 0; j < now.length; j += 4) product(turns, j, before.rotations, j, now, j)
    this.fading = { turns, height: before.height - height, left: FADE }
  }

  advance(dt: number): void {
    this.time += dt
    if (this.fading) {
      this.fading.left -= dt
      if (this.fading.left <= 0) this.fading = null
    }
    const left = this.playing ? this.changing(dt) : dt
    if (left > 0) this.walk(left)
  }

  /** Play on in a change; what is left of the time after it has ended. */
  private changing(dt: number): number {
    const here = this.playing!,
      { change } = here,
      left = here.seconds + dt - change.seconds
    here.seconds = Math.min(change.seconds, here.seconds + dt)
    const at = change.at(here.seconds),
      sin = Math.sin(here.yaw),
      cos = Math.cos(here.yaw)
    this.x = here.x + at.left * cos + at.ahead * sin
    this.z = here.z + at.ahead * cos - at.left * sin
    this.yaw = here.yaw + at.yaw
    if (left < 0) return 0
    const { target, to, arrive } = change.packed,
      grid = this.grids.find((g) => g.block.name === target) ?? this.grid
    this.last = this.local()
    this.over(() => {
      this.playing = null
      this.grid = grid
      this.goal = this.point = grid.place(to[0], to[1]).point
      this.phase = arrive
      // Steps are given in the heading of their sample: where the cycle stands between two, it has turned a little.
      this.stepYaw = this.yaw
    })
    return left
  }

  /** Whether the change that is waited for begins within so many radians of the cycle; how many, else −1. */
  private due(reach: number): number {
    const wanted = this.wanted
    if (!wanted) return -1
    const at = this.grid.block.at,
      size = (k: number) => Math.max(1e-9, Math.max(...at.map((p) => p[k])) - Math.min(...at.map((p) => p[k])))
    if (Math.hypot((this.point[0] - this.goal[0]) / size(0), (this.point[1] - this.goal[1]) / size(1)) > NEAR) return -1
    const ahead = (wanted.packed.phase - this.phase + TURN) % TURN
    return ahead <= reach ? ahead : -1
  }

  private walk(dt: number): void {
    const reach = (dt / this.period) * TURN,
      due = this.due(reach)
    if (due < 0) {
      this.go(dt)
      return
    }
    const before = (due / TURN) * this.period,
      change = this.wanted!
    this.go(before)
    this.last = this.local()
    this.over(() => {
      this.wanted = null
      this.playing = { change, seconds: 0, x: this.x, z: this.z, yaw: this.yaw }
    })
    this.changing(dt - before)
  }

  private go(dt: number): void {
    const share = 1 - 10 ** (-dt / EASE)
    this.point = [0, 1].map((k) => this.point[k] + share * (this.goal[k] - this.point[k])) as [number, number]
    const { samples, steps, loops } = this.grid,
      place = this.place
    let left = (dt / this.period) * samples
    while (left > 1e-12) {
      const s = (this.phase / TURN) * samples,
        i = Math.floor(s + 1e-9),
        part = Math.min(left, i + 1 - s),
        row = i % samples
      if (s - i < 1e-9) this.stepYaw = this.yaw
      let side = 0,
        ahead = 0,
        yaw = 0
      place.corners.forEach((c, k) => {
        const o = 3 * (row * loops + c),
          w = place.weights[k]
        side += w * steps[o]
        ahead += w * steps[o + 1]
        yaw += w * steps[o + 2]
      })
      const sin = Math.sin(this.stepYaw),
        cos = Math.cos(this.stepYaw)
      this.x += part * (side * cos + ahead * sin)
      this.z += part * (ahead * cos - side * sin)
      this.yaw += part * yaw
      this.phase = ((s + part) / samples) * TURN
      if (this.phase >= TURN - 1e-9) this.phase = 0
      left -= part
    }
  }

  /** Local rotations (the root's without heading), height and foot plants, of the loops or of a change. */
  private local(): { rotations: Float32Array; height: number; held: { L: boolean; R: boolean } } {
    if (this.playing) {
      const { change, seconds } = this.playing,
        { rotations, height, frame } = change.at(seconds)
      return { rotations: normal(rotations), height, held: heldIn(change.planted, frame) }
    }
    const { samples, joints, loops, rotations: all, heights, planted } = this.grid,
      place = this.place
    const s = (this.phase / TURN) * samples,
      i = Math.floor(s + 1e-9),
      u = Math.max(0, s - i)
    // Catmull–Rom: through the samples, smooth between them.
    const shares = [
      -0.5 * u + u * u - 0.5 * u ** 3,
      1 - 2.5 * u * u + 1.5 * u ** 3,
      0.5 * u + 2 * u * u - 1.5 * u ** 3,
      -0.5 * u * u + 0.5 * u ** 3,
    ]
    const rotations = new Float32Array(4 * joints)
    const lead = place.corners[place.weights.indexOf(Math.max(...place.weights))]
    let height = 0
    place.corners.forEach((c, k) =>
      shares.forEach((share, m) => {
        const row = (i + m - 1 + 2 * samples) % samples,
          w = place.weights[k] * share
        if (w === 0) return
        height += w * heights[row * loops + c]
        for (let j = 0; j < joints; j++) {
          const o = 4 * ((row * loops + c) * joints + j),
            r = 4 * (((i % samples) * loops + lead) * joints + j)
          const sign =
            all[o] * all[r] + all[o + 1] * all[r + 1] + all[o + 2] * all[r + 2] + all[o + 3] * all[r + 3] < 0 ? -w : w
          for (let n = 0; n < 4; n++) rotations[4 * j + n] += sign * all[o + n]
        }
      }),
    )
    return { rotations: normal(rotations), height, held: heldIn(planted, (i % samples) * loops + lead) }
  }

  pose(): { pose: Pose; held: { L: boolean; R: boolean } } {
    const { rotations, height: own, held } = this.local()
    let height = own
    if (this.fading) {
      const { turns, height: apart, left } = this.fading,
        w = 0.5 - 0.5 * Math.cos((Math.PI * left) / FADE)
      height += w * apart
      for (let j = 0; j < rotations.length; j += 4) lean(rotations, j, turns, w)
    }
    this.last = { rotations: rotations.slice(), height }
    turnRoot(rotations, this.yaw)
    return { pose: { root: [this.x, height, this.z], rotations }, held }
  }
}
