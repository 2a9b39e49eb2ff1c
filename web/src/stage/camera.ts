/** The camera: turns about what it looks at, by hand, and follows the character where it is told to. */
import * as THREE from 'three'

export interface View {
  /** Radians from the character's front (following) or from +z (free). */
  yaw: number
  pitch: number
  distance: number
  /** Moves the picture sideways and up, in half pictures, to leave room for what lies over it. */
  shiftX: number
  shiftY: number
}

export const DEFAULT_VIEW: View = { yaw: 0.72, pitch: 0.27, distance: 5.7, shiftX: 0.06, shiftY: 0.02 }
const TURN_TIME = 0.9 // s in which a following camera makes two thirds of a turn
const MOVE_TIME = 0.08
const GLIDE = 0.24 // s

export class Camera {
  readonly camera = new THREE.PerspectiveCamera(24, 1, 0.05, 200)
  readonly look = new THREE.Vector3(0, 0.88, 0)
  follow = true
  heading = 0
  private fresh = true

  constructor(public view: View = { ...DEFAULT_VIEW }) {}

  /** Come after a character that stands at x, z with this heading; `dt` in seconds. */
  track(x: number, z: number, heading: number, height: number, dt: number): void {
    const y = 0.5 * height
    if (this.fresh || Math.hypot(x - this.look.x, z - this.look.z) > 8 * Math.max(1, height)) {
      this.look.set(x, y, z)
      this.heading = heading
      this.fresh = false
      return
    }
    if (!this.follow) return
    const near = 1 - Math.exp(-dt / MOVE_TIME),
      turn = 1 - Math.exp(-dt / TURN_TIME)
    this.look.lerp(new THREE.Vector3(x, y, z), near)
    this.heading += turn * Math.atan2(Math.sin(heading - this.heading), Math.cos(heading - this.heading))
  }

  /** Look at what lies so many metres before the character. */
  ahead(metres: number): void {
    this.look.x += metres * Math.sin(this.heading)
    this.look.z += metres * Math.cos(this.heading)
  }

  /** Look at the character anew at the next step, from the same side. */
  reset(): void {
    this.fresh = true
  }

  /** Go over to another view in a quarter of a second, or at once where motion is not wanted. */
  goTo(view: Partial<View>): void {
    const to = { ...this.view, ...view }
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) this.view = to
    else this.way = { from: { ...this.view }, to, done: 0 }
  }

  private way: { from: View; to: View; done: number } | null = null

  private glide(dt: number): void {
    const way = this.way
    if (!way) return
    way.done = Math.min(1, way.done + dt / GLIDE)
    const u = 1 - (1 - way.done) ** 3
    for (const key of ['yaw', 'pitch', 'distance', 'shiftX', 'shiftY'] as const)
      this.view[key] = way.from[key] + u * (way.to[key] - way.from[key])
    if (way.done === 1) this.way = null
  }

  orbit(dx: number, dy: number): void {
    this.way = null
    this.view.yaw -= dx
    this.view.pitch = Math.max(-0.05, Math.min(1.5, this.view.pitch + dy))
  }

  zoom(factor: number): void {
    this.view.distance = Math.max(0.8, Math.min(60, this.view.distance * factor))
  }

  update(aspect: number, dt = 0): void {
    this.glide(dt)
    const v = this.view,
      yaw = this.heading + v.yaw,
      flat = Math.cos(v.pitch) * v.distance
    this.camera.position.set(
      this.look.x + Math.sin(yaw) * flat,
      this.look.y + Math.sin(v.pitch) * v.distance,
      this.look.z + Math.cos(yaw) * flat,
    )
    this.camera.aspect = aspect
    this.camera.near = 0.02 * v.distance
    this.camera.far = 60 + 10 * v.distance
    this.camera.lookAt(this.look)
    this.camera.updateProjectionMatrix()
    this.camera.projectionMatrix.elements[8] -= v.shiftX
    this.camera.projectionMatrix.elements[9] -= v.shiftY
    this.camera.projectionMatrixInverse.copy(this.camera.projectionMatrix).invert()
    this.camera.updateMatrixWorld()
  }
}
