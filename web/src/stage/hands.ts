/** Hands on the camera of a stage. */
import type { Stage } from './stage'

/** One finger or the mouse turns, two fingers come nearer, the wheel too. */
export function hands(stage: Stage): () => void {
  const canvas = stage.canvas,
    fingers = new Map<number, { x: number; y: number }>()
  const spread = () => {
    const [a, b] = [...fingers.values()]
    return Math.hypot(a.x - b.x, a.y - b.y)
  }
  const down = (e: PointerEvent) => {
    if (canvas.dataset.hands === 'off') return
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY })
    canvas.setPointerCapture(e.pointerId)
  }
  const move = (e: PointerEvent) => {
    const last = fingers.get(e.pointerId)
    if (!last) return
    const before = fingers.size === 2 ? spread() : 0
    fingers.set(e.pointerId, { x: e.clientX, y: e.clientY })
    if (fingers.size === 1) stage.camera.orbit((e.clientX - last.x) * 0.006, (e.clientY - last.y) * 0.005)
    else if (fingers.size === 2 && spread() > 0) stage.camera.zoom(before / spread())
  }
  const up = (e: PointerEvent) => {
    fingers.delete(e.pointerId)
  }
  const wheel = (e: WheelEvent) => {
    e.preventDefault()
    stage.camera.zoom(Math.exp(e.deltaY * 0.001))
  }
  const double = () => {
    stage.camera.reset()
    stage.camera.view = { ...stage.home }
  }
  const all = [
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', up],
    ['dblclick', double],
  ] as const
  for (const [name, run] of all) canvas.addEventListener(name, run as EventListener)
  canvas.addEventListener('wheel', wheel, { passive: false })
  return () => {
    for (const [name, run] of all) canvas.removeEventListener(name, run as EventListener)
    canvas.removeEventListener('wheel', wheel)
  }
}
