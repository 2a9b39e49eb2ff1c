/** A path drawn on the ground by hand: points with a speed, coloured by it. */
import { signal } from '@preact/signals'
import { act, block, character, drawing, project } from '../app/store'
import type { Stage } from './stage'

export const pathSpeed = signal(1.2)
const STEP = 0.12 // metres between points

export function speedRange(): readonly [number, number] {
  const speeds = (block.value?.nodes ?? []).map((n) => n.speed)
  return speeds.length ? [Math.min(...speeds), Math.max(...speeds)] : [0.5, 2]
}

type Points = [number, number, number][]

/** Draw with the pointer until the returned function is called. A stroke that begins at the end of the last one goes on with it. */
export function drawOn(stage: Stage): () => void {
  const canvas = stage.canvas
  let points: Points | null = null
  const at = (e: PointerEvent) => {
    const r = canvas.getBoundingClientRect()
    return stage.groundAt(e.clientX - r.left, e.clientY - r.top)
  }
  const show = () => {
    if (points) showPaths(stage, points)
  }
  const down = (e: PointerEvent) => {
    const p = at(e)
    if (!p) return
    const old = currentPath(),
      end = old.at(-1)
    points = end && Math.hypot(end[0] - p.x, end[1] - p.z) < 0.4 ? [...old] : [[p.x, p.z, pathSpeed.value]]
    canvas.setPointerCapture(e.pointerId)
  }
  const move = (e: PointerEvent) => {
    const p = points && at(e)
    if (!p) return
    const last = points!.at(-1)!,
      away = Math.hypot(p.x - last[0], p.z - last[1])
    for (let i = 1; i <= Math.floor(away / STEP) && points!.length < 2000; i++)
      points!.push([
        last[0] + ((p.x - last[0]) * i * STEP) / away,
        last[1] + ((p.z - last[1]) * i * STEP) / away,
        pathSpeed.value,
      ])
    show()
  }
  const up = () => {
    const done = points
    points = null
    if (done && done.length > 3)
      void act({ type: 'follow', path: done, character: character.value }).then((ok) => {
        if (ok) drawing.value = false
        else showPaths(stage)
      })
    else showPaths(stage)
  }
  const leave = () => {
    points = null
    showPaths(stage)
  }
  canvas.dataset.hands = 'off'
  const all = [
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', leave],
  ] as const
  for (const [name, run] of all) canvas.addEventListener(name, run)
  return () => {
    delete canvas.dataset.hands
    for (const [name, run] of all) canvas.removeEventListener(name, run)
    points = null
  }
}

export function currentPath(): Points {
  return project.value?.characters[character.value]?.path ?? []
}

/** Show the paths of all characters, with the one in the hand instead of its old one. */
export function showPaths(stage: Stage, inHand?: Points): void {
  const range = speedRange(),
    all = (project.value?.characters ?? []).map((c, i) => (inHand && i === character.value ? inHand : c.path))
  if (inHand && !all.length) all.push(inHand)
  stage.setPaths(
    all.filter((p) => p.length > 1).map((p) => ({ points: p.map(([x, z, speed]) => ({ x, z, speed })), range })),
  )
}

export function endPath(): void {
  void act({ type: 'follow', path: [], character: character.value })
}
