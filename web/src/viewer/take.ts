/** A motion frame by frame: a clip or a recording, at any moment. */
import type { Pose, Skeleton } from '../stage/figure'
import { heldIn, unpack, type PackedMotion } from './content'

export class Take {
  private constructor(
    readonly name: string,
    readonly seconds: number,
    readonly frameRate: number,
    readonly frames: number,
    readonly metres: number,
    readonly cut: boolean,
    readonly planted: Float32Array,
    private readonly root: Float32Array,
    private readonly rotations: Float32Array,
    private readonly slides: { joints: number[]; offsets: Float32Array } | null,
    private readonly skeleton: Skeleton,
  ) {}

  static async of(packed: PackedMotion, skeleton: Skeleton): Promise<Take> {
    const [root, rotations, planted] = await Promise.all([packed.root, packed.rotations, packed.planted].map(unpack))
    const slides = packed.slides ? { joints: packed.slides.joints, offsets: await unpack(packed.slides.offsets) } : null
    return new Take(
      packed.name,
      packed.seconds,
      packed.frameRate,
      packed.root.shape[0],
      packed.metres,
      packed.cut,
      planted,
      root,
      rotations,
      slides,
      skeleton,
    )
  }

  /** Seconds from the first frame to the last. */
  get end(): number {
    return (this.frames - 1) / this.frameRate
  }

  /** The pose at a moment, between frames where it falls between them. */
  at(seconds: number): { pose: Pose; held: { L: boolean; R: boolean }; frame: number } {
    const f = Math.max(0, Math.min(this.frames - 1, seconds * this.frameRate)),
      low = Math.min(this.frames - 1, Math.floor(f + 1e-6))
    const high = Math.min(this.frames - 1, low + 1),
      u = Math.max(0, f - low),
      n = this.skeleton.names.length
    const root = [0, 1, 2].map((k) => (1 - u) * this.root[3 * low + k] + u * this.root[3 * high + k])
    const rotations = new Float32Array(4 * n)
    for (let j = 0; j < n; j++) {
      // neighbours have like signs: the capture is stored so
      let norm = 0
      for (let k = 0; k < 4; k++) {
        const q = (1 - u) * this.rotations[4 * (low * n + j) + k] + u * this.rotations[4 * (high * n + j) + k]
        rotations[4 * j + k] = q
        norm += q * q
      }
      for (let k = 0; k < 4; k++) rotations[4 * j + k] /= Math.sqrt(norm)
    }
    const pose: Pose = { root, rotations }
    if (this.slides) pose.offsets = this.offsetsAt(low, high, u)
    return { pose, held: heldIn(this.planted, Math.round(f)), frame: Math.round(f) }
  }

  private offsetsAt(low: number, high: number, u: number): Float32Array {
    const offsets = Float32Array.from(this.skeleton.offsets),
      { joints, offsets: slid } = this.slides!,
      m = joints.length
    joints.forEach((joint, i) => {
      for (let k = 0; k < 3; k++)
        offsets[3 * joint + k] = (1 - u) * slid[3 * (low * m + i) + k] + u * slid[3 * (high * m + i) + k]
    })
    return offsets
  }

  /** First and last frames in which a foot point rests. */
  plants(point: number): [number, number][] {
    const out: [number, number][] = []
    for (let f = 0, from = -1; f <= this.frames; f++) {
      const down = f < this.frames && this.planted[4 * f + point] > 0
      if (down && from < 0) from = f
      if (!down && from >= 0) {
        out.push([from, f - 1])
        from = -1
      }
    }
    return out
  }
}
