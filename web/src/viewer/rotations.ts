/** Rotations of poses: quaternions w x y z, joint after joint, in one array. */
/** Each made of length 1. */
export function normal(q: Float32Array): Float32Array {
  for (let j = 0; j < q.length; j += 4) {
    const norm = Math.hypot(q[j], q[j + 1], q[j + 2], q[j + 3])
    for (let n = 0; n < 4; n++) q[j + n] /= norm
  }
  return q
}

/** out ← a b⁻¹, the turn that takes b to a, by the shorter way. */
export function product(out: Float32Array, o: number, a: Float32Array, i: number, b: Float32Array, j: number): void {
  const aw = a[i],
    ax = a[i + 1],
    ay = a[i + 2],
    az = a[i + 3],
    bw = b[j],
    bx = -b[j + 1],
    by = -b[j + 2],
    bz = -b[j + 3]
  const w = aw * bw - ax * bx - ay * by - az * bz,
    sign = w < 0 ? -1 : 1
  out[o] = sign * w
  out[o + 1] = sign * (aw * bx + ax * bw + ay * bz - az * by)
  out[o + 2] = sign * (aw * by - ax * bz + ay * bw + az * bx)
  out[o + 3] = sign * (aw * bz + ax * by - ay * bx + az * bw)
}

/** q ← share of a turn, then q; turns are small, so that a share of one is near enough to a straight line. */
export function lean(q: Float32Array, j: number, turns: Float32Array, share: number): void {
  let tw = 1 - share + share * turns[j],
    tx = share * turns[j + 1],
    ty = share * turns[j + 2],
    tz = share * turns[j + 3]
  const norm = Math.hypot(tw, tx, ty, tz),
    [w, x, y, z] = q.subarray(j, j + 4)
  tw /= norm
  tx /= norm
  ty /= norm
  tz /= norm
  q[j] = tw * w - tx * x - ty * y - tz * z
  q[j + 1] = tw * x + tx * w + ty * z - tz * y
  q[j + 2] = tw * y - tx * z + ty * w + tz * x
  q[j + 3] = tw * z + tx * y - ty * x + tz * w
}

/** Turn the root by a heading: q ← (cos ½ψ, 0, sin ½ψ, 0) q. */
export function turnRoot(q: Float32Array, yaw: number): void {
  const c = Math.cos(yaw / 2),
    s = Math.sin(yaw / 2),
    [w, x, y, z] = q
  q[0] = c * w - s * y
  q[1] = c * x + s * z
  q[2] = c * y + s * w
  q[3] = c * z - s * x
}
