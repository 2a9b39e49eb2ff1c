/** What the stage draws: a skeleton, the body round it, and poses of both. Plain data, wherever it comes from. */

export type Side = 'L' | 'R' | 'M'

export interface Skeleton {
  names: readonly string[]
  /** Parent of each joint; the root's is -1, parents come before children. */
  parents: readonly number[]
  /** Rest offset from the parent, metres, three numbers for each joint. */
  offsets: ArrayLike<number>
  /** The joint each end site hangs on. */
  endJoints: readonly number[]
  /** Offset of each end site from its joint, metres. */
  endOffsets: ArrayLike<number>
  /** Role to joint: `left_ankle`, `right_toe`, … ; a role may be missing. */
  roles: Readonly<Record<string, number>>
}

export interface Body {
  /** Rest pose, metres, three numbers for each vertex. */
  vertices: Float32Array
  faces: Uint16Array | Uint32Array
  /** Four joints for each vertex, and their weights. */
  joints: Uint16Array
  weights: Float32Array
}

/** One character at one instant: root position in metres, local rotations as w x y z. */
export interface Pose {
  root: ArrayLike<number>
  rotations: ArrayLike<number>
  /** Offsets of joints from their parents in this pose, where they slide: three numbers for each joint. */
  offsets?: ArrayLike<number>
}

/** Joints of one foot, and whether it is held at the moment. */
export interface Foot {
  side: 'L' | 'R'
  ankle: number
  toe: number
}

export function feetOf(skeleton: Skeleton): Foot[] {
  const feet: Foot[] = []
  for (const [side, word] of [
    ['L', 'left'],
    ['R', 'right'],
  ] as const) {
    const ankle = skeleton.roles[`${word}_ankle`]
    if (ankle === undefined) continue
    feet.push({ side, ankle, toe: skeleton.roles[`${word}_toe`] ?? ankle })
  }
  return feet
}

/** Which side each joint is drawn as: limbs by role, else by where they stand in the rest pose (+x is left). */
export function sidesOf(skeleton: Skeleton): Side[] {
  const n = skeleton.names.length
  const sides = new Array<Side>(n).fill('M')
  const limb = (['left', 'right'] as const).flatMap((word) =>
    ['hip', 'shoulder'].map((role) => [skeleton.roles[`${word}_${role}`], word === 'left' ? 'L' : 'R'] as const),
  )
  if (limb.some(([joint]) => joint !== undefined)) {
    for (const [joint, side] of limb) if (joint !== undefined) sides[joint] = side
    for (let j = 0; j < n; j++) {
      const p = skeleton.parents[j]
      if (p >= 0 && sides[p] !== 'M') sides[j] = sides[p]
    }
    return sides
  }
  const x = new Float64Array(n)
  for (let j = 0; j < n; j++) {
    const p = skeleton.parents[j]
    x[j] = (p >= 0 ? x[p] : 0) + skeleton.offsets[3 * j]
  }
  const reach = Math.max(1e-6, ...Array.from(x, Math.abs))
  for (let j = 0; j < n; j++) sides[j] = x[j] > 0.12 * reach ? 'L' : x[j] < -0.12 * reach ? 'R' : 'M'
  return sides
}

/** World positions of joints, then of end sites: what the page draws, and what tests compare with Python's. */
export function jointPositions(skeleton: Skeleton, pose: Pose, out?: Float64Array): Float64Array {
  const n = skeleton.names.length,
    ends = skeleton.endJoints.length
  const at = out ?? new Float64Array(3 * (n + ends)),
    world = new Float64Array(4 * n),
    v = new Float64Array(3)
  const { rotations: q, root } = pose,
    o = pose.offsets ?? skeleton.offsets
  for (let j = 0; j < n; j++) {
    const p = skeleton.parents[j],
      w = q[4 * j],
      x = q[4 * j + 1],
      y = q[4 * j + 2],
      z = q[4 * j + 3]
    if (p < 0) {
      world.set([w, x, y, z], 4 * j)
      at[3 * j] = root[0]
      at[3 * j + 1] = root[1]
      at[3 * j + 2] = root[2]
      continue
    }
    const a = world[4 * p],
      b = world[4 * p + 1],
      c = world[4 * p + 2],
      d = world[4 * p + 3]
    world[4 * j] = a * w - b * x - c * y - d * z
    world[4 * j + 1] = a * x + b * w + c * z - d * y
    world[4 * j + 2] = a * y - b * z + c * w + d * x
    world[4 * j + 3] = a * z + b * y - c * x + d * w
    rotate(world, 4 * p, o[3 * j], o[3 * j + 1], o[3 * j + 2], v)
    for (let k = 0; k < 3; k++) at[3 * j + k] = at[3 * p + k] + v[k]
  }
  for (let e = 0; e < ends; e++) {
    const j = skeleton.endJoints[e],
      f = skeleton.endOffsets
    rotate(world, 4 * j, f[3 * e], f[3 * e + 1], f[3 * e + 2], v)
    for (let k = 0; k < 3; k++) at[3 * (n + e) + k] = at[3 * j + k] + v[k]
  }
  return at
}

/** World positions of joints, then of end sites, in the rest pose: no joint is turned, the root is at its offset. */
export function restPlaces(skeleton: Skeleton): Float64Array {
  const rotations = new Float32Array(4 * skeleton.names.length)
  for (let j = 0; j < skeleton.names.length; j++) rotations[4 * j] = 1
  return jointPositions(skeleton, { root: Array.from(skeleton.offsets).slice(0, 3), rotations })
}

/** How tall the rest pose is, metres. */
export function heightOf(skeleton: Skeleton): number {
  const at = restPlaces(skeleton)
  let lo = Infinity,
    hi = -Infinity
  for (let i = 1; i < at.length; i += 3) {
    lo = Math.min(lo, at[i])
    hi = Math.max(hi, at[i])
  }
  return Math.max(0.05, hi - lo)
}

function rotate(q: Float64Array, i: number, x: number, y: number, z: number, out: Float64Array): void {
  const w = q[i],
    a = q[i + 1],
    b = q[i + 2],
    c = q[i + 3]
  const s = 2 * (b * z - c * y),
    t = 2 * (c * x - a * z),
    u = 2 * (a * y - b * x)
  out[0] = x + w * s + b * u - c * t
  out[1] = y + w * t + c * s - a * u
  out[2] = z + w * u + a * t - b * s
}

/** Bones to draw as segments: pairs of rows of `jointPositions`, with the side they are coloured by. */
export function segmentsOf(skeleton: Skeleton): { from: number; to: number; side: Side }[] {
  const n = skeleton.names.length,
    sides = sidesOf(skeleton),
    out: { from: number; to: number; side: Side }[] = []
  for (let j = 0; j < n; j++)
    if (skeleton.parents[j] >= 0) out.push({ from: skeleton.parents[j], to: j, side: sides[j] })
  skeleton.endJoints.forEach((j, e) => out.push({ from: j, to: n + e, side: sides[j] }))
  return out
}

/** Heading of the root, radians about +y, from the direction its z axis points to on the ground. */
export function headingOf(pose: Pose): number {
  const [w, x, y, z] = [pose.rotations[0], pose.rotations[1], pose.rotations[2], pose.rotations[3]]
  return Math.atan2(2 * (x * z + w * y), 1 - 2 * (x * x + y * y))
}
