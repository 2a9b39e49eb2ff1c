/** What is drawn flat on the ground: the trail of the root, footprints, the ring round a held foot, a path. */
import * as THREE from 'three'
import type { Character } from './character'
import { rampAt, type Colour, type Palette } from './theme'

type Spot = readonly [number, number]

export interface Print {
  side: 'L' | 'R'
  ankle: Spot
  toe: Spot
  from: number
  until: number | null
}
export interface PathPoint {
  x: number
  z: number
  speed: number
}

const PRINTS_KEPT = 24
const TRAIL_SECONDS = 5

/** Trail and footprints that one character leaves, in its own time (seconds). */
export class Traces {
  readonly prints: Print[] = []
  private readonly trail: { t: number; x: number; z: number }[] = []
  private open: Record<'L' | 'R', Print | null> = { L: null, R: null }

  /** Note a pose: where the root is, and which feet are held. A jump in time or place starts anew. */
  note(character: Character, held: { L: boolean; R: boolean }, t: number): void {
    const p = character.positions,
      last = this.trail.at(-1)
    if (
      last &&
      (t < last.t || t - last.t > 1 || Math.hypot(p[0] - last.x, p[2] - last.z) > 0.6 * Math.max(1, character.height))
    )
      this.clear()
    this.trail.push({ t, x: p[0], z: p[2] })
    while (this.trail.length > 2 && t - this.trail[0].t > TRAIL_SECONDS) this.trail.shift()
    for (const { side, ankle, toe } of character.feet) {
      const at = (j: number): Spot => [p[3 * j], p[3 * j + 2]]
      const open = this.open[side]
      if (!held[side]) {
        if (open) {
          open.until = t
          this.open[side] = null
        }
        continue
      }
      const moved =
        open && Math.hypot(open.ankle[0] - p[3 * ankle], open.ankle[1] - p[3 * ankle + 2]) > 0.25 * character.height
      if (open && !moved) {
        // the sole lies flat in the middle of the plant: keep the lowest ankle
        if (p[3 * ankle + 1] < this.lowest[side]) {
          this.lowest[side] = p[3 * ankle + 1]
          open.ankle = at(ankle)
          open.toe = at(toe)
        }
        continue
      }
      if (open) open.until = t
      const print: Print = { side, ankle: at(ankle), toe: at(toe), from: t, until: null }
      this.lowest[side] = p[3 * ankle + 1]
      this.open[side] = print
      this.prints.push(print)
      if (this.prints.length > PRINTS_KEPT) this.prints.shift()
    }
  }

  private readonly lowest = { L: Infinity, R: Infinity }

  clear(): void {
    this.prints.length = 0
    this.trail.length = 0
    this.open = { L: null, R: null }
  }

  get way(): readonly { t: number; x: number; z: number }[] {
    return this.trail
  }
}

/** Triangles collected anew for every picture; a few thousand corners, so a buffer that grows is enough. */
export class Marks {
  readonly mesh: THREE.Mesh
  private places = new Float32Array(3 * 4096)
  private colours = new Float32Array(4 * 4096)
  private n = 0
  /** Where a label of a held foot fits, world x and z; by side. */
  readonly held: { side: 'L' | 'R'; x: number; z: number; size: number }[] = []

  constructor() {
    const material = new THREE.ShaderMaterial({
      vertexShader:
        'attribute vec4 colour; varying vec4 c; void main() { c = colour; gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }',
      fragmentShader: 'varying vec4 c; void main() { gl_FragColor = c; }',
      // Custom blending keeps it among the opaque things, so that it is drawn after the ground and before bodies.
      blending: THREE.CustomBlending,
      blendSrcAlpha: THREE.ZeroFactor,
      blendDstAlpha: THREE.OneFactor,
      depthWrite: false,
      depthTest: false,
      side: THREE.DoubleSide,
    })
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), material)
    this.mesh.frustumCulled = false
    this.mesh.renderOrder = -5
    this.attach()
  }

  private attach(): void {
    const shape = this.mesh.geometry
    shape.setAttribute('position', new THREE.BufferAttribute(this.places, 3).setUsage(THREE.DynamicDrawUsage))
    shape.setAttribute('colour', new THREE.BufferAttribute(this.colours, 4).setUsage(THREE.DynamicDrawUsage))
  }

  begin(): void {
    this.n = 0
    this.held.length = 0
  }

  end(): void {
    const shape = this.mesh.geometry
    if (shape.getAttribute('position').array !== this.places) {
      shape.dispose()
      this.attach()
    }
    shape.setDrawRange(0, this.n)
    shape.getAttribute('position').needsUpdate = true
    shape.getAttribute('colour').needsUpdate = true
  }

  private corner(s: Spot, c: Colour, alpha: number): void {
    if (3 * this.n + 3 > this.places.length) {
      const places = new Float32Array(2 * this.places.length),
        colours = new Float32Array(2 * this.colours.length)
      places.set(this.places)
      colours.set(this.colours)
      this.places = places
      this.colours = colours
    }
    this.places.set([s[0], 0.002, s[1]], 3 * this.n)
    this.colours.set([c[0], c[1], c[2], alpha], 4 * this.n)
    this.n++
  }

  strip(points: readonly Spot[], width: number, colour: (i: number) => Colour, alpha: (i: number) => number): void {
    for (let i = 0; i + 1 < points.length; i++) {
      const [ax, az] = points[i],
        [bx, bz] = points[i + 1],
        l = Math.hypot(bx - ax, bz - az)
      if (l < 1e-9) continue
      const nx = (-(bz - az) / l) * width,
        nz = ((bx - ax) / l) * width
      const a0: Spot = [ax + nx, az + nz],
        a1: Spot = [ax - nx, az - nz],
        b0: Spot = [bx + nx, bz + nz],
        b1: Spot = [bx - nx, bz - nz]
      for (const [s, k] of [
        [a0, i],
        [a1, i],
        [b0, i + 1],
        [b0, i + 1],
        [a1, i],
        [b1, i + 1],
      ] as const)
        this.corner(s, colour(k), alpha(k))
    }
  }

  trail(traces: Traces, palette: Palette): void {
    const way = traces.way,
      now = way.at(-1)?.t ?? 0
    this.strip(
      way.map((w): Spot => [w.x, w.z]),
      0.011,
      () => palette.accent,
      (i) => 0.75 * Math.max(0, 1 - (now - way[i].t) / TRAIL_SECONDS) ** 1.4,
    )
  }

  prints(traces: Traces, palette: Palette, t: number, height: number): void {
    const k = height / 1.75
    for (const print of traces.prints) {
      const colour = print.side === 'L' ? palette.left : palette.right,
        held = print.until === null
      const age = held ? 0 : Math.max(0, t - print.until!),
        alpha = held ? 0.95 : 0.55 * Math.exp(-age / 2.4)
      if (alpha < 0.02) continue
      const [ax, az] = print.ankle,
        dx = print.toe[0] - ax,
        dz = print.toe[1] - az,
        l = Math.hypot(dx, dz)
      const ux = l > 1e-6 ? dx / l : 0,
        uz = l > 1e-6 ? dz / l : 1,
        sole: Spot[] = []
      for (let i = 0; i < 28; i++) {
        const a = (i / 28) * 2 * Math.PI,
          c = Math.cos(a),
          s = Math.sin(a),
          along = k * (0.065 + 0.128 * c),
          wide = k * (0.036 + 0.01 * c) * s
        sole.push([ax + ux * along - uz * wide, az + uz * along + ux * wide])
      }
      const mid: Spot = [ax + ux * 0.065 * k, az + uz * 0.065 * k]
      for (let i = 0; i < 28; i++)
        for (const s of [mid, sole[i], sole[(i + 1) % 28]]) this.corner(s, colour, alpha * (held ? 0.55 : 0.42))
      this.strip(
        [...sole, sole[0]],
        0.006 * k,
        () => colour,
        () => alpha,
      )
      if (!held) continue
      this.ring(mid, 0.19 * k, 0.004 * k, colour, 0.8)
      this.held.push({ side: print.side, x: mid[0], z: mid[1], size: 0.24 * k })
    }
  }

  ring(mid: Spot, radius: number, width: number, colour: Colour, alpha: number): void {
    const ring = Array.from({ length: 41 }, (_, i): Spot => [
      mid[0] + radius * Math.cos((i / 20) * Math.PI),
      mid[1] + radius * Math.sin((i / 20) * Math.PI),
    ])
    this.strip(
      ring,
      width,
      () => colour,
      () => alpha,
    )
  }

  path(points: readonly PathPoint[], palette: Palette, range: readonly [number, number], done = 0): void {
    const span = Math.max(1e-6, range[1] - range[0]),
      shade = (i: number) => rampAt(palette, 0.3 + (0.7 * (points[i].speed - range[0])) / span)
    this.strip(
      points.map((p): Spot => [p.x, p.z]),
      0.035,
      shade,
      (i) => (i < done ? 0.25 : 0.9),
    )
    if (points.length) this.ring([points[0].x, points[0].z], 0.09, 0.012, shade(0), 0.9)
    if (points.length > 1) this.ring([points.at(-1)!.x, points.at(-1)!.z], 0.09, 0.03, shade(points.length - 1), 0.9)
  }

  dispose(): void {
    this.mesh.geometry.dispose()
    ;(this.mesh.material as THREE.Material).dispose()
  }
}
