/**
 * A character played by the engine itself: the C library in WebAssembly, with the network's own harmonics and held feet.
 *
 * What a step does is what `mocapella.Crowd` does in Python; captured changes between blocks are played by the library, too.
 */
import { Library, type Characters, type Network, type Now } from '../../../native/wasm/mocapella.mjs'
import type { Listed } from './changes'
import { inflate, type Plan, type SteeredContent } from './content'

const LONGEST = 0.1 // s of one step: a page that was hidden does not leap

export class Block {
  readonly plan: Plan
  constructor(
    readonly name: string,
    readonly network: Network,
  ) {
    // Nodes of no triangle, such as those that lead to captured changes, cannot be reached here.
    const used = network.nodes.map((_, i) => i).filter((i) => network.triangles.some((row) => row.includes(i)))
    const nodes = used.map((i) => network.nodes[i]),
      rates = nodes.map(({ at }) => network.rates(...at))
    this.plan = {
      name,
      nodes: nodes.map((n) => n.name),
      at: nodes.map((n) => n.at),
      triangles: network.triangles.map((row) => row.map((i) => used.indexOf(i))),
      seconds: rates.map((r) => r.seconds),
      speeds: rates.map((r) => r.speed),
      turns: rates.map((r) => degrees(r.turn)),
    }
  }
}

/** A captured change by its number in the library. */
export interface Captured extends Listed {
  number: number
  at: readonly [number, number]
}

export class Runner {
  readonly blocks: readonly Block[]
  readonly changes: readonly Captured[]
  block: Block
  time = 0
  goal: [number, number]
  now: Now
  /** The change that is waited for, and the one that is played. */
  wanted: Captured | null = null
  playing: { change: Captured; seconds: number } | null = null
  private own: Characters

  private constructor(network: Network, point: readonly number[]) {
    this.blocks = network.blocks.map((block) => new Block(block.name, block))
    this.changes = network.changes.map(({ name, source, target, at, seconds }, number) => ({
      number,
      name,
      at,
      seconds,
      source: this.blocks[source].name,
      target: this.blocks[target].name,
    }))
    this.block = this.blocks[0]
    this.goal = this.block.network.nearest(point[0], point[1])
    this.own = network.create(1)
    this.own.begin(0, { point: this.goal })
    this.now = this.own.now(0)
  }

  static async of(content: SteeredContent): Promise<Runner> {
    const library = await Library.load(await inflate(content.wasm))
    return new Runner(library.network(await inflate(content.network)), content.point)
  }

  /** Begin again at a point: at the origin, facing +z, at cycle phase 0. */
  begin(x: number, y: number): void {
    this.goal = this.block.network.nearest(x, y)
    this.own.begin(0, { point: this.goal })
    this.time = 0
    this.look()
  }

  aim(x: number, y: number): void {
    if (this.playing) return
    this.own.cancel(0)
    this.goal = this.block.network.nearest(x, y)
    this.own.aim(0, ...this.goal)
    this.look()
  }

  /** Take a captured change: the point goes where it begins, and it is played when its moment comes. */
  take(change: Captured): void {
    if (this.playing || change.source !== this.block.name) return
    this.own.cancel(0)
    this.own.trigger(0, change.number)
    this.goal = this.block.network.nearest(...change.at)
    this.look()
  }

  /** Go on with another block: by the captured change that leads there, else at once. */
  enter(block: Block): void {
    if (block === this.block || this.playing) return
    const way = this.changes.find((c) => c.source === this.block.name && c.target === block.name)
    if (way) {
      this.take(way)
      return
    }
    const { at } = block.plan,
      [x, y] = [0, 1].map((k) => at.reduce((sum, p) => sum + p[k], 0) / at.length)
    this.own.enter(0, this.blocks.indexOf(block), x, y)
    this.look()
    this.goal = this.now.goal
  }

  step(seconds: number): void {
    const changing = this.playing
    this.time += seconds
    this.own.step(seconds)
    this.look()
    if (changing && !this.playing) this.goal = this.block.network.nearest(...this.now.point)
  }

  private look(): void {
    const { activity, block, change, seconds } = this.own.doing(0),
      taken = this.changes[change]
    this.now = this.own.now(0)
    this.block = this.blocks[block]
    this.wanted = activity === 'called' || activity === 'waiting' ? taken : null
    this.playing = activity === 'changing' ? { change: taken, seconds } : null
  }

  advance(seconds: number): void {
    this.step(Math.min(seconds, LONGEST))
  }

  /** What the character does at its point now, and what was asked. */
  get rates() {
    return this.block.network.rates(...this.now.point)
  }
  get asked() {
    return this.block.network.rates(...this.goal)
  }

  pose(): { root: Float32Array; rotations: Float32Array } {
    const locals = this.own.locals(0),
      n = locals.length / 7,
      rotations = new Float32Array(4 * n)
    for (let j = 0; j < n; j++) {
      rotations[4 * j] = locals[7 * j + 6]
      for (let k = 0; k < 3; k++) rotations[4 * j + 1 + k] = locals[7 * j + 3 + k]
    }
    return { root: locals.slice(0, 3), rotations }
  }

  /** World positions of joints as the library has them. */
  positions(): Float32Array {
    return this.own.positions(0)
  }
}

export const degrees = (radians: number) => (radians * 180) / Math.PI
