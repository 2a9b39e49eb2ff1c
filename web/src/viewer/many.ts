/** Many characters played by the engine in the page: begun on rings, steered past each other, read all at once. */
import { ALL, Library, type Characters, type Network } from '../../../native/wasm/mocapella.mjs'
import { inflate, type CrowdContent } from './content'
import { Block } from './runner'
import { randomOf, Walking, type Walker, type Way } from './walking'

const EVERY = 0.1 // s between two looks around
const LONGEST = 0.1 // s of one step: a page that was hidden does not leap
export const MOST = 5000 // characters that a page offers

export class Many {
  readonly blocks: readonly Block[]
  time = 0
  speed: number
  walking!: Walking
  matrices: Float32Array = new Float32Array(0)
  /** Milliseconds that a step takes, smoothed. */
  cost = 0
  private own: Characters | null = null
  private waited = 0
  private random: () => number

  private constructor(
    private readonly network: Network,
    private readonly content: CrowdContent,
  ) {
    this.blocks = network.blocks.map((block) => new Block(block.name, block))
    this.speed = content.speed
    this.random = randomOf(content.seed)
    this.begin(content.count)
  }

  static async of(content: CrowdContent): Promise<Many> {
    const library = await Library.load(
      await inflate(Library.file === 'mocapella-relaxed.wasm' ? content.relaxed : content.wasm),
    )
    return new Many(library.network(await inflate(content.network)), content)
  }

  get count(): number {
    return this.walking.count
  }
  get way(): Way {
    return this.walking.way
  }

  /** Begin again with so many characters, each at a phase of its own. */
  begin(count: number): void {
    const { way, place } = this.walking ?? { way: 'rings', place: { x: 0, z: 0 } }
    this.own?.free()
    this.random = randomOf(this.content.seed)
    this.walking = Object.assign(new Walking(count, this.random), { way, place })
    this.own = this.network.create(count)
    this.own.noise(this.content.noise)
    this.walking.starts.forEach((start, i) =>
      this.own!.begin(i, { ...start, phase: 2 * Math.PI * this.random(), point: this.content.point }),
    )
    this.time = this.waited = 0
    this.look(0)
    this.matrices = this.own.matrices(ALL)
  }

  /** Send all characters round the rings, anywhere, or to a place on the ground. */
  go(way: Way, place = this.walking.place): void {
    Object.assign(this.walking, { way, place })
  }

  advance(seconds: number): void {
    const dt = Math.min(seconds, LONGEST),
      begun = performance.now()
    this.time += dt
    this.waited += dt
    if (this.waited >= EVERY) {
      this.look(this.waited)
      this.waited = 0
    }
    this.own!.step(dt)
    this.own!.matrices(ALL, this.matrices)
    const took = performance.now() - begun
    this.cost = this.cost ? this.cost + 0.05 * (took - this.cost) : took
  }

  /** Where characters are, and the blending point and block of each. */
  now(): (Walker & { point: [number, number]; block: number })[] {
    return Array.from({ length: this.count }, (_, i) => {
      const { x, z, heading, point } = this.own!.now(i)
      return { x, z, heading, point, block: this.blocks.length > 1 ? this.own!.doing(i).block : 0 }
    })
  }

  private look(dt: number): void {
    const now = this.now()
    this.walking.wishes(now, this.speed, dt).forEach(({ turn, speed }, i) => this.own!.steer(i, turn, speed))
    const { changes } = this.network,
      share = (this.content.changes * dt) / 60
    if (!changes.length) return
    now.forEach(({ block }, i) => {
      if (this.random() >= share || this.own!.doing(i).activity !== 'free') return
      const open = changes.map((_, k) => k).filter((k) => changes[k].source === block)
      if (open.length) this.own!.trigger(i, open[Math.floor(this.random() * open.length)])
    })
  }
}
