/**
 * A character played by the engine itself: the C library in WebAssembly, with the network's own harmonics and held feet.
 *
 * What a step does is what `mocapella.Crowd` does in Python. Blocks of a hybrid network are networks of their own; the
 * character crosses over from one to another in a moment, without the captured change.
 */
import { Library, type Characters, type Network, type Now } from '../../../native/wasm/mocapella.mjs'
import type { Pose } from '../stage/figure'
import { inflate, type Plan, type SteeredContent } from './content'

const FADE = 0.3 // s of the crossover from one block to another
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
  private own: Characters
  private leaving: { own: Characters; left: number } | null = null

  private constructor(readonly blocks: readonly Block[], block: string, point: readonly number[]) {
    this.block = blocks.find((b) => b.name === block) ?? blocks[0]
    this.goal = this.block.network.nearest(point[0], point[1])
    this.own = this.block.network.create(1)
    this.own.begin(0, { point: this.goal })
    this.now = this.own.now(0)
  }

  static async of(content: SteeredContent): Promise<Runner> {
    const library = await Library.load(await inflate(content.wasm))
    const blocks = await Promise.all(content.blocks.map(async (b) => new Block(b.name, library.network(await inflate(b.network)))))
    return new Runner(blocks, content.block, content.point)
  }

  /** Begin again at a point: at the origin, facing +z, at cycle phase 0. */
  begin(x: number, y: number): void {
    this.leaving?.own.free()
    this.leaving = null
    this.goal = this.block.network.nearest(x, y)
    this.own.begin(0, { point: this.goal })
    this.now = this.own.now(0)
    this.time = 0
  }

  aim(x: number, y: number): void {
    this.goal = this.block.network.nearest(x, y)
    this.own.aim(0, ...this.goal)
  }

  enter(block: Block): void {
    if (block === this.block) return
    this.leaving?.own.free()
    this.leaving = { own: this.own, left: FADE }
    this.block = block
    const { at } = this.block.plan, middle = [0, 1].map((k) => at.reduce((sum, p) => sum + p[k], 0) / at.length)
    this.goal = block.network.nearest(middle[0], middle[1])
    this.own = block.network.create(1)
    this.own.begin(0, { x: this.now.x, z: this.now.z, heading: this.now.heading, phase: this.now.phase, point: this.goal })
    this.now = this.own.now(0)
  }

  step(seconds: number): void {
    this.own.step(seconds)
    this.now = this.own.now(0)
    this.time += seconds
    if (!this.leaving) return
    this.leaving.own.step(seconds)
    this.leaving.left -= seconds
    if (this.leaving.left <= 0) { this.leaving.own.free(); this.leaving = null }
  }

  advance(seconds: number): void { this.step(Math.min(seconds, LONGEST)) }

  /** What the character does at its point now, and what was asked. */
  get rates() { return this.block.network.rates(...this.now.point) }
  get asked() { return this.block.network.rates(...this.goal) }

  pose(): Pose {
    const here = poseOf(this.own.locals(0))
    if (!this.leaving) return here
    const there = poseOf(this.leaving.own.locals(0)), share = 0.5 - 0.5 * Math.cos(Math.PI * this.leaving.left / FADE)
    return mixed(here, there, share)
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

function mixed(a: Made, b: Made, share: number): Made {
  const root = a.root.map((v, k) => v + share * (b.root[k] - v)), rotations = new Float32Array(a.rotations.length)
  for (let j = 0; j < rotations.length; j += 4) {
    let dot = 0, norm = 0
    for (let k = 0; k < 4; k++) dot += a.rotations[j + k] * b.rotations[j + k]
    for (let k = 0; k < 4; k++) { const q = (1 - share) * a.rotations[j + k] + share * Math.sign(dot || 1) * b.rotations[j + k]; rotations[j + k] = q; norm += q * q }
    for (let k = 0; k < 4; k++) rotations[j + k] /= Math.sqrt(norm)
  }
  return { root, rotations }
}
