/** What a page embeds, as `mocapella/studio/page/content.py` writes it, and how its arrays are unpacked. */
import type { Body, Skeleton } from '../stage/figure'

export interface Packed {
  shape: number[]
  step: number
  differences: number
  planes: number
  data: string
}

export interface PackedSkeleton extends Omit<Skeleton, 'endJoints'> {
  endJoints: number[]
  body: { vertices: Packed; faces: Packed; joints: Packed; weights: Packed }
}

export interface PackedMotion {
  skeleton: number
  name: string
  seconds: number
  frameRate: number
  root: Packed
  rotations: Packed
  planted: Packed
  metres: number
  cut: boolean
  slides?: { joints: number[]; offsets: Packed }
}

export interface PackedBlock {
  name: string
  nodes: string[]
  at: number[][]
  seconds: number[]
  speeds: number[]
  turns: number[]
  corners: number[][]
  triangles: number[][]
  rotations: Packed
  heights: Packed
  steps: Packed
  planted: Packed
}

/** What a map of a network needs: nodes at their places, what they do, and the triangles between them. */
export type Plan = Pick<PackedBlock, 'name' | 'nodes' | 'at' | 'seconds' | 'speeds' | 'turns' | 'triangles'>

interface Common {
  title: string
  compact: boolean
  skeletons: PackedSkeleton[]
}
export interface MotionContent extends Common {
  kind: 'motion'
  motions: PackedMotion[]
}
/** A captured change as the engine plays it, from the last pose of one block to the first of another. */
export interface PackedChange {
  name: string
  key: string
  source: string
  at: number[]
  phase: number
  target: string
  to: number[]
  arrive: number
  frameRate: number
  places: Packed
  yaws: Packed
  heights: Packed
  rotations: Packed
  planted: Packed
}
export interface LoopsContent extends Common {
  kind: 'loops'
  blocks: PackedBlock[]
  block: string
  point: number[]
  changes?: PackedChange[]
}
export interface JudgeContent extends Common {
  kind: 'judge'
  motions: PackedMotion[]
  pairs: [number, number][]
  question: string
  rounds: number
}
/** A network as a `.mocar` file, with its blocks and captured changes, and the library that plays it, deflated, in base64. */
export interface SteeredContent extends Common {
  kind: 'steered'
  wasm: string
  network: string
  nodes: number[]
  point: number[]
}
/** Many characters of such a network: how many, how fast (m/s), how different (radians of noise), changes per minute of each; the faster build of the library, too. */
export interface CrowdContent extends Omit<SteeredContent, 'kind'> {
  kind: 'crowd'
  relaxed: string
  count: number
  speed: number
  noise: number
  changes: number
  seed: number
}
export type Content = MotionContent | LoopsContent | JudgeContent | SteeredContent | CrowdContent

/** Bytes that were deflated and written in base64. */
export async function inflate(text: string): Promise<Uint8Array> {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The numbers of a packed array: whole multiples of its step, in the order of its shape. */
export async function unpack(packed: Packed): Promise<Float32Array> {
  const planes = await inflate(packed.data)
  const n = planes.length / packed.planes,
    rows = packed.shape[0] ?? 1,
    width = rows ? n / rows : 0
  const whole = new Int32Array(n)
  for (let i = 0; i < n; i++) {
    let folded = 0
    for (let p = 0; p < packed.planes; p++) folded |= planes[p * n + i] << (8 * p)
    whole[i] = (folded >>> 1) ^ -(folded & 1)
  }
  for (let d = 0; d < packed.differences; d++) for (let i = width; i < n; i++) whole[i] += whole[i - width]
  return Float32Array.from(whole, (value) => value * packed.step)
}

export async function unpackSkeleton(packed: PackedSkeleton): Promise<{ skeleton: Skeleton; body: Body }> {
  const { vertices, faces, joints, weights } = packed.body
  const [v, f, j, w] = await Promise.all([vertices, faces, joints, weights].map(unpack))
  return {
    skeleton: packed,
    body: { vertices: v, faces: Uint16Array.from(f), joints: Uint16Array.from(j), weights: w },
  }
}

/** Which feet rest, of the four foot points of a row: left heel, left toe, right heel, right toe. */
export const heldIn = (planted: ArrayLike<number>, row: number): { L: boolean; R: boolean } => ({
  L: planted[4 * row] + planted[4 * row + 1] > 0,
  R: planted[4 * row + 2] + planted[4 * row + 3] > 0,
})
