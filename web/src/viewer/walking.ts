/**
 * Where the characters of a crowd go: along rings, at random or to a place, and past each other.
 *
 * Collisions are avoided as `mocapella.crowd.control` does it: two characters push each other aside by how soon they would
 * collide (Karamouzas, Skinner and Guy 2014), close ones are pushed apart (Helbing and Molnár 1995).
 */

export type Way = 'rings' | 'wander' | 'gather'
export interface Walker {
  x: number
  z: number
  heading: number
}
/** Turn rate, rad/s, and speed, m/s. */
export interface Wish {
  turn: number
  speed: number
}

const RADIUS = 0.3,
  STRENGTH = 1.5,
  HORIZON = 3,
  SIGHT = 6,
  CLOSENESS = 2,
  FALLOFF = 0.25,
  MOST = 8
const SPACING = 2.2 // m between rings, and between characters of a ring
const INNERMOST = 6 // m, of the smallest ring
const ARRIVED = 1.5 // m from a goal at which the next one is chosen
const STANDING = 1.1 // m² for each character that has come to a place
const GOLDEN = 2.39996 // rad: places turned by it fill a disc evenly

/** A sequence of random numbers from 0 to 1, the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

interface Ring {
  radius: number
  side: number
}

export class Walking {
  way: Way = 'rings'
  place = { x: 0, z: 0 } // where characters gather
  readonly starts: Walker[] = []
  /** Metres from the middle within which characters wander. */
  readonly reach: number
  private readonly rings: Ring[] = []
  private readonly goals: { x: number; z: number }[] = []
  private last: readonly Walker[] | null = null
  private speeds: Float64Array

  constructor(
    readonly count: number,
    private readonly random: () => number,
  ) {
    this.speeds = new Float64Array(2 * count)
    let radius = INNERMOST - SPACING
    for (let number = 0; this.starts.length < count; number++) {
      radius += SPACING
      const side = number % 2 ? 1 : -1,
        many = Math.min(count - this.starts.length, Math.floor((2 * Math.PI * radius) / SPACING))
      for (let k = 0; k < many; k++) {
        const at = (side * 2 * Math.PI * (k + 0.5 * (number % 3))) / many
        this.starts.push({ x: radius * Math.sin(at), z: radius * Math.cos(at), heading: at + (side * Math.PI) / 2 })
        this.rings.push({ radius, side })
      }
    }
    this.reach = radius
    for (let i = 0; i < count; i++) this.goals.push(this.anywhere())
  }

  private anywhere(): { x: number; z: number } {
    const r = this.reach * Math.sqrt(this.random()),
      a = 2 * Math.PI * this.random()
    return { x: r * Math.sin(a), z: r * Math.cos(a) }
  }

  /** What each character shall do, `dt` seconds after it was last asked. */
  wishes(now: readonly Walker[], speed: number, dt: number): Wish[] {
    this.measure(now, speed, dt)
    const forces = this.forces(now)
    return now.map((one, i) => {
      const goal = this.goal(one, i, speed),
        dx = goal.x - one.x,
        dz = goal.z - one.z,
        far = Math.max(1e-9, Math.hypot(dx, dz))
      const wanted = this.way === 'gather' ? Math.min(speed, far) : speed
      const x = (wanted * dx) / far + 0.54 * forces[2 * i],
        z = (wanted * dz) / far + 0.54 * forces[2 * i + 1]
      const angle = wrapped(Math.atan2(x, z) - one.heading)
      return {
        turn: clamp(angle / 0.6, -3, 3),
        speed: Math.min(Math.hypot(x, z) * clamp(Math.cos(angle), 0.3, 1), 1.5 * speed),
      }
    })
  }

  private goal(one: Walker, i: number, speed: number): { x: number; z: number } {
    if (this.way === 'rings') {
      const { radius, side } = this.rings[i],
        at = Math.atan2(one.x, one.z) + (side * speed) / radius
      return { x: radius * Math.sin(at), z: radius * Math.cos(at) }
    }
    if (this.way === 'gather') {
      const r = Math.sqrt((STANDING * (i + 0.5)) / Math.PI),
        a = GOLDEN * i
      return { x: this.place.x + r * Math.sin(a), z: this.place.z + r * Math.cos(a) }
    }
    if (Math.hypot(this.goals[i].x - one.x, this.goals[i].z - one.z) < ARRIVED) this.goals[i] = this.anywhere()
    return this.goals[i]
  }

  /** How fast characters go, smoothed over their steps. */
  private measure(now: readonly Walker[], speed: number, dt: number): void {
    now.forEach((one, i) => {
      const before = this.last?.[i],
        share = before ? 0.5 : 1
      const x = before && dt > 0 ? (one.x - before.x) / dt : speed * Math.sin(one.heading),
        z = before && dt > 0 ? (one.z - before.z) / dt : speed * Math.cos(one.heading)
      this.speeds[2 * i] += share * (x - this.speeds[2 * i])
      this.speeds[2 * i + 1] += share * (z - this.speeds[2 * i + 1])
    })
    this.last = now
  }

  /** What avoidance asks of each character, m/s². */
  private forces(now: readonly Walker[]): Float64Array {
    const out = new Float64Array(2 * now.length),
      v = this.speeds
    for (const [a, b] of pairs(now)) {
      const wx = now[b].x - now[a].x,
        wz = now[b].z - now[a].z,
        sx = v[2 * a] - v[2 * b],
        sz = v[2 * a + 1] - v[2 * b + 1]
      const apart2 = wx * wx + wz * wz,
        apart = Math.max(1e-6, Math.sqrt(apart2)),
        near = (-CLOSENESS * Math.exp((2 * RADIUS - apart) / FALLOFF)) / apart
      let px = near * wx,
        pz = near * wz
      const reach2 = Math.min(4 * RADIUS * RADIUS, 0.98 * apart2),
        s2 = sx * sx + sz * sz,
        along = wx * sx + wz * sz,
        under = along * along - s2 * (apart2 - reach2)
      if (under > 1e-9 && s2 > 1e-6 && along > 0) {
        const root = Math.sqrt(under),
          time = Math.max((along - root) / s2, 0.05)
        const size = ((STRENGTH * Math.exp(-time / HORIZON)) / (s2 * time * time)) * (2 / time + 1 / HORIZON)
        const qx = -size * (sx - (along * sx - s2 * wx) / root),
          qz = -size * (sz - (along * sz - s2 * wz) / root),
          less = Math.min(1, MOST / Math.max(1e-9, Math.hypot(qx, qz)))
        px += less * qx
        pz += less * qz
      }
      out[2 * a] += px
      out[2 * a + 1] += pz
      out[2 * b] -= px
      out[2 * b + 1] -= pz
    }
    return out
  }
}

/** Characters that see each other, each pair once: those of the same cell of a grid and of the cells around it. */
function* pairs(now: readonly Walker[]): Generator<[number, number]> {
  const cells = new Map<number, number[]>(),
    key = (x: number, z: number) => (x + 32768) * 65536 + z + 32768
  const cell = (v: number) => Math.floor(v / SIGHT)
  now.forEach((one, i) => {
    const k = key(cell(one.x), cell(one.z)),
      here = cells.get(k)
    if (here) here.push(i)
    else cells.set(k, [i])
  })
  for (let i = 0; i < now.length; i++) {
    const { x, z } = now[i]
    for (let cx = cell(x) - 1; cx <= cell(x) + 1; cx++)
      for (let cz = cell(z) - 1; cz <= cell(z) + 1; cz++) {
        for (const j of cells.get(key(cx, cz)) ?? [])
          if (j > i && (now[j].x - x) ** 2 + (now[j].z - z) ** 2 < SIGHT * SIGHT) yield [i, j]
      }
  }
}

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value))
const wrapped = (angle: number) => angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI))
