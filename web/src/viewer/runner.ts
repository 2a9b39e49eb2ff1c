/**
 * A character played by the engine itself: the C library in WebAssembly, with the network's own harmonics and held feet.
 *
 * What a step does is what `mocapella.Crowd` does in Python. Blocks of a hybrid network are networks of their own; captured
 * changes between them are recorded by the engine in Python, and played from where the character stands.
 */
import { Library, type Characters, type Network, type Now } from '../../../native/wasm/mocapella.mjs'
import { Change } from './change'
import { inflate, type Plan, type SteeredContent } from './content'
import { heading, lean, normal, product, turnRoot } from './rotations'

const TURN = 2 * Math.PI
const FADE = 0.3 // s in which the difference between two poses that meet fades
const NEAR = 0.03 // of the map's size: as near a point has to be to the place that a change begins at
const LONGEST = 0.1 // s of one step: a page that was hidden does not leap

export class Block {
  readonly plan: Plan
  constructor(readonly name: string, readonly network: Network) {
    // Nodes of no triangle, such as those that lead to captured changes, cannot be reached here.
    const used = network.nodes.map((_, i) => i).filter((i) => network.triangles.some((row) => row.includes(i)))
    const nodes = used.map((i) => network.nodes[i]), rates = nodes.map(({ at }) => network.rates(...at))
    this.plan = {
      name, nodes: nodes.map((n) => n.name), at: nodes.map((n) => n.at), triangles: network.triangles.map((row) => row.map((i) => used.indexOf(i))),
      seconds: rates.map((r) => r.seconds), speeds: rates.map((r) => r.speed), turns: rates.map((r) => degrees(r.turn)),
    }
  }
}

export class Runner {
  block: Block
  time = 0
  goal: [number, number]
  now: Now
  /** The change that is waited for, and the one that is played, with the place and heading at which it began. */
  wanted: Change | null = null
  playing: { change: Change; seconds: number; x: number; z: number; yaw: number } | null = null
  private own: Characters
  /** What the pose before a seam differed by from the one after it; it fades away. */
  private fading: { turns: Float32Array; root: Float32Array; left: number } | null = null

  private constructor(readonly blocks: readonly Block[], readonly changes: readonly Change[], block: string, point: readonly number[]) {
    this.block = blocks.find((b) => b.name === block) ?? blocks[0]
    this.goal = this.block.network.nearest(point[0], point[1])
    this.own = this.block.network.create(1)
    this.own.begin(0, { point: this.goal })
    this.now = this.own.now(0)
  }

  static async of(content: SteeredContent): Promise<Runner> {
    const library = await Library.load(await inflate(content.wasm))
    const blocks = await Promise.all(content.blocks.map(async (b) => new Block(b.name, library.network(await inflate(b.network)))))
    const changes = await Promise.all((content.changes ?? []).map((change) => Change.of(change)))
    return new Runner(blocks, changes, content.block, content.point)
  }

  /** Begin again at a point: at the origin, facing +z, at cycle phase 0. */
  begin(x: number, y: number): void {
    this.wanted = this.playing = this.fading = null
    this.goal = this.block.network.nearest(x, y)
    this.own.begin(0, { point: this.goal })
    this.now = this.own.now(0)
    this.time = 0
  }

  aim(x: number, y: number): void {
    if (this.playing) return
    this.wanted = null
    this.goal = this.block.network.nearest(x, y)
    this.own.aim(0, ...this.goal)
  }

  /** Take a captured change: the point goes where it begins, and it is played when its moment comes. */
  take(change: Change): void {
    if (this.playing || change.packed.source !== this.block.name) return
    this.aim(change.packed.at[0], change.packed.at[1])
    this.wanted = change
  }

  /** Go on with another block: by the captured change that leads there, else at once. */
  enter(block: Block): void {
    if (block === this.block || this.playing) return
    const way = this.changes.find((c) => c.packed.source === this.block.name && c.packed.target === block.name)
    if (way) { this.take(way); return }
    const { x, z, heading, phase } = this.now, { at } = block.plan
    const middle = [0, 1].map((k) => at.reduce((sum, p) => sum + p[k], 0) / at.length)
    this.wanted = null
    this.over(() => {
      this.into(block, middle)
      this.own.begin(0, { x, z, heading, phase, point: this.goal })
    })
  }

  private into(block: Block, point: readonly number[]): void {
    if (block !== this.block) { this.own.free(); this.own = block.network.create(1) }
    this.block = block
    this.goal = block.network.nearest(point[0], point[1])
  }

  /** Cross over to other poses: the difference is kept, and fades away. */
  private over(go: () => void): void {
    const before = this.pose()
    go()
    this.fading = null
    if (!this.playing) this.now = this.own.now(0)
    const now = this.bare(), turns = new Float32Array(now.rotations.length)
    for (let j = 0; j < turns.length; j += 4) product(turns, j, before.rotations, j, now.rotations, j)
    this.fading = { turns, root: before.root.map((v, k) => v - now.root[k]), left: FADE }
  }

  step(seconds: number): void {
    this.time += seconds
    if (this.fading && (this.fading.left -= seconds) <= 0) this.fading = null
    const left = this.playing ? this.changing(seconds) : seconds
    if (!this.playing) this.walk(left)
  }

  private walk(seconds: number): void {
    const due = this.due(seconds), change = this.wanted
    this.own.step(due ?? seconds)
    this.now = this.own.now(0)
    if (due === null || !change) return
    const { root, rotations } = this.bare()
    this.over(() => {
      this.wanted = null
      this.playing = { change, seconds: 0, x: root[0], z: root[2], yaw: heading(rotations) - heading(change.at(0).rotations) }
    })
    this.changing(seconds - due)
  }

  /** Seconds until the change that is waited for begins, where that is within a step; else null. */
  private due(seconds: number): number | null {
    if (!this.wanted) return null
    const { at } = this.block.plan, size = (k: number) => Math.max(1e-9, Math.max(...at.map((p) => p[k])) - Math.min(...at.map((p) => p[k])))
    const { point, phase } = this.now
    if (Math.hypot((point[0] - this.goal[0]) / size(0), (point[1] - this.goal[1]) / size(1)) > NEAR) return null
    const ahead = (this.wanted.packed.phase - phase + TURN) % TURN / TURN * this.rates.seconds
    return ahead <= seconds ? ahead : null
  }

  /** Play on in a change; what is left of the time after it has ended. */
  private changing(seconds: number): number {
    const here = this.playing!, { change } = here, left = here.seconds + seconds - change.seconds
    here.seconds = Math.min(change.seconds, here.seconds + seconds)
    const { frame } = change.at(here.seconds)
    this.now = { ...this.now, planted: [0, 1, 2, 3].map((k) => change.planted[4 * frame + k] > 0) as Now['planted'] }
    if (left >= 0) this.arrive(change)
    return Math.max(0, left)
  }

  /** Go on with the engine where a change has led: at the same place, facing the same way. */
  private arrive(change: Change): void {
    const { target, to, arrive: phase } = change.packed, { root, rotations } = this.bare()
    this.over(() => {
      this.playing = null
      this.into(this.blocks.find((b) => b.name === target) ?? this.block, to)
      this.own.begin(0, { phase, point: this.goal })
      const plain = poseOf(this.own.locals(0)), turn = heading(rotations) - heading(plain.rotations)
      const [x, , z] = plain.root, sin = Math.sin(turn), cos = Math.cos(turn)
      this.own.begin(0, { x: root[0] - x * cos - z * sin, z: root[2] - z * cos + x * sin, heading: turn, phase, point: this.goal })
    })
  }

  advance(seconds: number): void { this.step(Math.min(seconds, LONGEST)) }

  /** What the character does at its point now, and what was asked. */
  get rates() { return this.block.network.rates(...this.now.point) }
  get asked() { return this.block.network.rates(...this.goal) }

  /** The pose of the engine or of a change, without what fades. */
  private bare(): Made {
    if (!this.playing) return poseOf(this.own.locals(0))
    const { change, seconds, x, z, yaw } = this.playing, at = change.at(seconds), sin = Math.sin(yaw), cos = Math.cos(yaw)
    turnRoot(normal(at.rotations), yaw + at.yaw)
    return { root: Float32Array.of(x + at.left * cos + at.ahead * sin, at.height, z + at.ahead * cos - at.left * sin), rotations: at.rotations }
  }

  pose(): Made {
    const made = this.bare()
    if (!this.fading) return made
    const { turns, root, left } = this.fading, share = 0.5 - 0.5 * Math.cos(Math.PI * left / FADE)
    for (let j = 0; j < turns.length; j += 4) lean(made.rotations, j, turns, share)
    return { root: made.root.map((v, k) => v + share * root[k]), rotations: made.rotations }
  }

  /** World positions of joints as the library has them. */
  positions(): Float32Array { return this.own.positions(0) }
}

export const degrees = (radians: number) => radians * 180 / Math.PI

interface Made { root: Float32Array; rotations: Float32Array }

function poseOf(locals: Float32Array): Made {
  const n = locals.length / 7, rotations = new Float32Array(4 * n)
  for (let j = 0; j < n; j++) {
    rotations[4 * j] = locals[7 * j + 6]
    for (let k = 0; k < 3; k++) rotations[4 * j + 1 + k] = locals[7 * j + 3 + k]
  }
  return { root: locals.slice(0, 3), rotations }
}
