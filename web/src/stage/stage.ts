/**
 * The stage: characters on the ground, seen by a camera.
 *
 * It knows nothing of servers or panels: hand it skeletons, bodies and poses, from a socket, a file or a page.
 *
 *     const stage = new Stage(canvas)
 *     stage.add(0, skeleton, body)
 *     stage.pose(0, { root, rotations }, { time, held: { L: true, R: false } })
 *     stage.start()
 */
import * as THREE from 'three'
import { Camera, DEFAULT_VIEW, type View } from './camera'
import { Character } from './character'
import type { Body, Pose, Skeleton } from './figure'
import { Ground } from './ground'
import { Marks, Traces, type PathPoint } from './marks'
import type { People } from './people'
import { readPalette, type Palette } from './theme'

export type { Body, Pose, Skeleton } from './figure'
export type { PathPoint } from './marks'
export type { View } from './camera'

export interface Shown {
  body: boolean
  feet: boolean
  trail: boolean
}
export interface Anchor {
  side: 'L' | 'R'
  x: number
  z: number
}
/** `time` in seconds, which feet are held, and where their points are held. */
export interface Moment {
  time: number
  held: { L: boolean; R: boolean }
  anchors?: Anchor[]
}
export interface FootLabel {
  character: number
  side: 'L' | 'R'
  x: number
  y: number
}
export interface GroundPath {
  points: readonly PathPoint[]
  range: readonly [number, number]
  done?: number
}

interface Actor {
  character: Character
  traces: Traces
  time: number
  ghost: boolean
  accent: boolean
  anchors: readonly Anchor[]
}

const accented = (palette: Palette): Palette => ({
  ...palette,
  body: palette.accent,
  left: palette.accent,
  right: palette.accent,
})

export class Stage {
  readonly camera: Camera
  readonly shown: Shown = { body: true, feet: true, trail: true }
  /** Which character the camera comes after. */
  target: number | string = 0
  /** The view a double click returns to. */
  readonly home: View
  /** Called after every picture, with the places of labels in pixels of the canvas. */
  onDraw: (labels: readonly FootLabel[]) => void = () => undefined
  /** Called before every picture: the place to take the latest poses over. */
  onFrame: (dt: number) => void = () => undefined
  pictures = 0
  /** Pixels drawn per pixel of the screen; `sharpen` fixes it, else it falls where pictures take long. */
  private sharpness = 1
  private fixed = false
  private slow = 0
  private readonly renderer: THREE.WebGLRenderer
  private readonly scene = new THREE.Scene()
  private readonly ground = new Ground()
  private readonly marks = new Marks()
  private readonly actors = new Map<string, Actor>()
  private readonly paths: GroundPath[] = []
  private readonly crowds = new Set<People>()
  private palette: Palette
  private timer = 0
  private last = 0
  private readonly watch: ResizeObserver

  constructor(
    readonly canvas: HTMLCanvasElement,
    view: Partial<View> = {},
  ) {
    this.home = { ...DEFAULT_VIEW, ...view }
    this.camera = new Camera({ ...this.home })
    // Pictures (PNG, WebM) are taken from the canvas, so what was drawn has to stay there.
    this.renderer = new THREE.WebGLRenderer({
      canvas,
      antialias: true,
      preserveDrawingBuffer: true,
      powerPreference: 'high-performance',
    })
    this.renderer.autoClear = false
    this.renderer.outputColorSpace = THREE.LinearSRGBColorSpace // colours are written as the tokens have them
    this.scene.add(this.ground.mesh, this.marks.mesh)
    this.palette = readPalette(canvas)
    this.recolour()
    this.watch = new ResizeObserver(() => this.draw(0))
    this.watch.observe(canvas)
  }

  /** Add a character, or replace the one of this number. `ghost` is its opacity where it is no solid character, `accent` gives it the colour of what is looked at. */
  add(id: number | string, skeleton: Skeleton, body: Body | null, ghost = 1, accent = false): Character {
    this.remove(id)
    const character = new Character(skeleton, body, ghost)
    character.recolour(accent ? accented(this.palette) : this.palette)
    character.show(this.shown.body)
    character.group.visible = false // until it has a pose
    if (accent)
      character.group.traverse((part) => {
        part.renderOrder = 1
      }) // over what it is compared with
    this.scene.add(character.group)
    this.actors.set(String(id), { character, traces: new Traces(), time: 0, ghost: ghost < 1, accent, anchors: [] })
    return character
  }

  /** Add many characters that are drawn at once; they are disposed with the stage. */
  addPeople(people: People): void {
    people.recolour(this.palette)
    people.show(this.shown.body)
    this.scene.add(people.group)
    this.crowds.add(people)
  }

  remove(id: number | string): void {
    this.actors.get(String(id))?.character.dispose()
    this.actors.delete(String(id))
  }

  clear(): void {
    for (const id of [...this.actors.keys()]) this.remove(id)
    this.camera.reset()
  }

  has(id: number | string): boolean {
    return this.actors.has(String(id))
  }

  character(id: number | string): Character | undefined {
    return this.actors.get(String(id))?.character
  }

  get ids(): string[] {
    return [...this.actors.keys()]
  }

  pose(id: number | string, pose: Pose, moment: Moment = { time: 0, held: { L: false, R: false } }): void {
    const actor = this.actors.get(String(id))
    if (!actor) return
    actor.character.pose(pose)
    actor.character.group.visible = true
    if (!actor.ghost) actor.traces.note(actor.character, moment.held, moment.time)
    actor.time = moment.time
    actor.anchors = moment.anchors ?? []
  }

  hide(id: number | string): void {
    const actor = this.actors.get(String(id))
    if (actor) actor.character.group.visible = false
  }

  show(shown: Partial<Shown>): void {
    Object.assign(this.shown, shown)
    for (const { character } of this.actors.values()) character.show(this.shown.body)
    for (const people of this.crowds) people.show(this.shown.body)
  }

  /** Paths drawn on the ground. */
  setPaths(paths: readonly GroundPath[]): void {
    this.paths.splice(0, this.paths.length, ...paths)
  }

  /** Forget trails and footprints. */
  forget(): void {
    for (const { traces } of this.actors.values()) traces.clear()
  }

  recolour(): void {
    this.palette = readPalette(this.canvas)
    this.ground.recolour(this.palette)
    for (const { character, accent } of this.actors.values())
      character.recolour(accent ? accented(this.palette) : this.palette)
    for (const people of this.crowds) people.recolour(this.palette)
  }

  get colours(): Palette {
    return this.palette
  }

  /** The place on the ground under a point of the canvas (pixels), or null where one sees the sky. */
  groundAt(x: number, y: number): { x: number; z: number } | null {
    const rect = this.canvas.getBoundingClientRect()
    const ray = new THREE.Raycaster()
    ray.setFromCamera(new THREE.Vector2((2 * x) / rect.width - 1, 1 - (2 * y) / rect.height), this.camera.camera)
    const hit = ray.ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 1, 0), 0), new THREE.Vector3())
    return hit && hit.distanceTo(this.camera.camera.position) < 80 ? { x: hit.x, z: hit.z } : null
  }

  /** Where a place of the world lies on the canvas, in pixels. */
  screenOf(x: number, y: number, z: number): { x: number; y: number } {
    const v = new THREE.Vector3(x, y, z).project(this.camera.camera)
    return { x: (0.5 + 0.5 * v.x) * this.canvas.clientWidth, y: (0.5 - 0.5 * v.y) * this.canvas.clientHeight }
  }

  start(): void {
    if (this.timer) return
    this.last = performance.now()
    const tick = (now: number) => {
      this.timer = requestAnimationFrame(tick)
      const dt = Math.min(0.1, Math.max(0, (now - this.last) / 1000))
      this.last = now
      this.adapt(dt)
      this.onFrame(dt)
      this.draw(dt)
    }
    this.timer = requestAnimationFrame(tick)
  }

  /** Draw with so many pixels per pixel of the screen, however long it takes. */
  sharpen(pixels: number): void {
    this.sharpness = pixels
    this.fixed = true
  }

  /** Machines without a graphics card draw fewer pixels rather than fewer pictures. */
  private adapt(dt: number): void {
    if (this.fixed || document.hidden) return
    this.slow = dt > 0.045 ? this.slow + 1 : Math.max(0, this.slow - 0.5)
    if (this.slow < 10 || this.sharpness <= 0.5) return
    this.sharpness = this.sharpness > 0.75 ? 0.75 : 0.5
    this.slow = 0
  }

  stop(): void {
    cancelAnimationFrame(this.timer)
    this.timer = 0
  }

  draw(dt: number): void {
    const ratio = Math.min(window.devicePixelRatio || 1, 2) * this.sharpness,
      { clientWidth: w, clientHeight: h } = this.canvas
    if (!w || !h) return
    if (this.canvas.width !== Math.floor(w * ratio) || this.canvas.height !== Math.floor(h * ratio)) {
      this.renderer.setPixelRatio(ratio)
      this.renderer.setSize(w, h, false)
    }
    const seen = [...this.actors.values()].filter((a) => a.character.posed && a.character.group.visible)
    const lead = this.actors.get(String(this.target)) ?? seen.find((a) => !a.ghost)
    const height = lead?.character.height ?? 1.75
    if (lead?.character.posed) {
      const p = lead.character.positions
      this.camera.track(p[0], p[2], lead.character.heading, height, dt)
    }
    this.camera.update(w / h, dt)
    this.ground.follow(this.camera.look.x, this.camera.look.z, Math.max(1, this.camera.view.distance / 6))
    this.drawMarks(seen)
    this.scene.updateMatrixWorld()
    for (const { character } of seen) character.light(this.camera.heading)
    for (const people of this.crowds) people.light(this.camera.heading)
    this.ground.cast(
      this.renderer,
      seen.filter((a) => !a.ghost).map((a) => a.character),
      this.camera.heading,
    )
    const sky = this.palette.sky
    this.renderer.setClearColor(new THREE.Color(sky[0], sky[1], sky[2]), 1)
    this.renderer.clear()
    this.renderer.render(this.scene, this.camera.camera)
    this.pictures++
    this.onDraw(this.labels(seen))
  }

  private drawMarks(seen: readonly Actor[]): void {
    this.marks.begin()
    for (const path of this.paths) this.marks.path(path.points, this.palette, path.range, path.done)
    for (const actor of seen) {
      if (actor.ghost) continue
      if (this.shown.trail) this.marks.trail(actor.traces, this.palette)
      if (!this.shown.feet) continue
      this.marks.prints(actor.traces, this.palette, actor.time, actor.character.height)
      for (const { side, x, z } of actor.anchors)
        this.marks.ring([x, z], 0.009, 0.009, side === 'L' ? this.palette.left : this.palette.right, 1)
    }
    this.marks.end()
  }

  private labels(seen: readonly Actor[]): FootLabel[] {
    if (!this.shown.feet || seen.filter((a) => !a.ghost).length > 1) return []
    return this.marks.held.map(({ side, x, z, size }) => {
      let best = { x: -Infinity, y: 0 }
      for (let i = 0; i < 16; i++) {
        const p = this.screenOf(x + size * Math.cos((i / 8) * Math.PI), 0, z + size * Math.sin((i / 8) * Math.PI))
        if (p.x > best.x) best = p
      }
      return { character: 0, side, ...best }
    })
  }

  /** The picture as it is, as PNG. */
  picture(): Promise<Blob> {
    return new Promise((done, fail) =>
      this.canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error('no picture'))), 'image/png'),
    )
  }

  dispose(): void {
    this.stop()
    this.watch.disconnect()
    this.clear()
    for (const people of this.crowds) people.dispose()
    this.ground.dispose()
    this.marks.dispose()
    this.renderer.dispose()
  }
}
