/** A captured change of motion: recorded poses, seen from where the character stands when it begins. */
import { unpack, type PackedChange } from './content'

export class Change {
  private constructor(
    readonly packed: PackedChange,
    readonly frames: number,
    readonly joints: number,
    private readonly places: Float32Array,
    private readonly yaws: Float32Array,
    private readonly heights: Float32Array,
    private readonly rotations: Float32Array,
    readonly planted: Float32Array,
  ) {}

  static async of(packed: PackedChange): Promise<Change> {
    const { places, yaws, heights, rotations, planted } = packed
    const [p, y, h, q, down] = await Promise.all([places, yaws, heights, rotations, planted].map(unpack))
    return new Change(packed, rotations.shape[0], rotations.shape[1], p, y, h, q, down)
  }

  get name(): string {
    return this.packed.name
  }
  get source(): string {
    return this.packed.source
  }
  get target(): string {
    return this.packed.target
  }
  /** Seconds from the first pose to the last. */
  get seconds(): number {
    return (this.frames - 1) / this.packed.frameRate
  }

  /** Metres to the left and ahead, heading, height and local rotations at a moment; the root's without heading. */
  at(seconds: number): {
    left: number
    ahead: number
    yaw: number
    height: number
    rotations: Float32Array
    frame: number
  } {
    const f = Math.max(0, Math.min(this.frames - 1, seconds * this.packed.frameRate)),
      low = Math.min(this.frames - 2, Math.floor(f)),
      u = f - low,
      n = 4 * this.joints
    // A cubic through the frames around, as the library has it; beyond the ends the motion goes straight on.
    const shares = [
      ((-0.5 * u + 1) * u - 0.5) * u,
      (1.5 * u - 2.5) * u * u + 1,
      ((-1.5 * u + 2) * u + 0.5) * u,
      (0.5 * u - 0.5) * u * u,
    ]
    const mix = (values: Float32Array, width: number, k: number) => {
      const at = (frame: number) => values[frame * width + k],
        here = at(low),
        next = at(low + 1)
      const before = low > 0 ? at(low - 1) : 2 * here - next,
        after = low + 2 < this.frames ? at(low + 2) : 2 * next - here
      return shares[0] * before + shares[1] * here + shares[2] * next + shares[3] * after
    }
    const rotations = new Float32Array(n)
    for (let k = 0; k < n; k++) rotations[k] = mix(this.rotations, n, k) // neighbours have like signs: it is stored so
    return {
      left: mix(this.places, 2, 0),
      ahead: mix(this.places, 2, 1),
      yaw: mix(this.yaws, 1, 0),
      height: mix(this.heights, 1, 0),
      rotations,
      frame: Math.round(f),
    }
  }
}
