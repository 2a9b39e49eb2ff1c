/** The stage fed by the server: every figure of a frame, with hands on the camera. */
import { useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Frame } from '../app/connection'
import { character, connection, people, peopleChanged, shown, theme } from '../app/store'
import { FRAME } from '../messages'
import { hands } from './hands'
import { Stage, type FootLabel, type Moment, type View } from './stage'

const ANCHORS = [FRAME.anchor_0_x, FRAME.anchor_1_x, FRAME.anchor_2_x, FRAME.anchor_3_x]

/** Hand a frame to a stage: characters solid, the capture and onion skins as ghosts. */
export function feed(stage: Stage, frame: Frame): void {
  const seen = new Set<string>()
  let skins = 0
  for (const { fields, root, rotations } of frame.figures) {
    const kind = fields[FRAME.figure],
      person = people.get(fields[FRAME.body])
    if (!person) continue
    const id = kind === 0 ? `c${fields[FRAME.number]}` : kind === 1 ? 'capture' : `skin${skins++}`
    seen.add(id)
    if (stage.character(id)?.skeleton !== person.skeleton)
      stage.add(id, person.skeleton, person.body, kind === 0 ? 1 : kind === 1 ? 0.55 : 0.2)
    const bits = fields[FRAME.planted]
    const moment: Moment = { time: fields[FRAME.time], held: { L: (bits & 3) > 0, R: (bits & 12) > 0 }, anchors: [] }
    if (kind === 0)
      ANCHORS.forEach((at, i) => {
        const x = fields[at],
          z = fields[at + 1]
        if (Number.isFinite(x))
          moment.anchors!.push({
            side: i < 2 ? 'L' : 'R',
            x: x + fields[FRAME.origin_x],
            z: z + fields[FRAME.origin_z],
          })
      })
    stage.pose(id, { root, rotations }, moment)
  }
  for (const id of stage.ids) if (!seen.has(id)) stage.remove(id)
}

/** The stage that is drawn at the moment, for `window.mocapella`. */
export const inside: { stage: Stage | null } = { stage: null }

export interface LiveStageProps {
  view?: Partial<View>
  /** Whether the hand turns the camera. */
  orbit?: boolean
  label?: string
  onStage?: (stage: Stage | null) => void
  children?: ComponentChildren
  class?: string
}

export function LiveStage({
  view,
  orbit = true,
  label = 'The character. W A S D or arrows steer.',
  onStage,
  children,
  class: name = 'stage',
}: LiveStageProps) {
  const canvas = useRef<HTMLCanvasElement>(null),
    stage = useRef<Stage | null>(null),
    tags = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let made: Stage
    // On a narrow stage the numbers at its lower left would lie over the feet.
    const narrow = canvas.current!.clientWidth < 760 ? { distance: 6.8, shiftX: 0.06, shiftY: 0.16 } : {}
    try {
      made = new Stage(canvas.current!, view ?? narrow)
    } catch {
      canvas.current!.parentElement!.classList.add('stage--none')
      return undefined
    }
    stage.current = made
    let latest: Frame | null = null
    const off = connection.onFrame((frame) => {
      latest = frame
    })
    made.onFrame = () => {
      if (latest) {
        feed(made, latest)
        latest = null
      }
    }
    made.onDraw = (labels) => placeLabels(tags.current, labels)
    const release = orbit ? hands(made) : () => undefined
    made.show({ body: shown.peek().body, feet: shown.peek().feet, trail: shown.peek().trail })
    made.start()
    onStage?.(made)
    inside.stage = made
    return () => {
      off()
      release()
      onStage?.(null)
      made.dispose()
      stage.current = null
    }
  }, [])
  useSignalEffect(() => {
    peopleChanged.value
    stage.current?.clear()
  })
  useSignalEffect(() => {
    theme.value
    requestAnimationFrame(() => stage.current?.recolour())
  })
  useSignalEffect(() => {
    const s = shown.value
    stage.current?.show({ body: s.body, feet: s.feet, trail: s.trail })
    if (stage.current) stage.current.camera.follow = s.follow
  })
  useSignalEffect(() => {
    if (stage.current) stage.current.target = `c${character.value}`
  })
  return (
    <section class={name} aria-label="Stage">
      <canvas ref={canvas} tabindex={0} aria-label={label} role="img" />
      <div ref={tags} class="foot-labels" aria-hidden="true" />
      <p class="stage-missing">
        This browser has no WebGL 2, so the stage is not drawn. Steering, clips and export still work.
      </p>
      {children}
    </section>
  )
}

function placeLabels(host: HTMLDivElement | null, labels: readonly FootLabel[]): void {
  if (!host) return
  while (host.children.length < labels.length) {
    const tag = document.createElement('span')
    tag.className = 'foot-label'
    tag.append(document.createElement('b'), 'held')
    host.append(tag)
  }
  ;[...host.children].forEach((child, i) => {
    const tag = child as HTMLElement,
      one = labels[i]
    tag.hidden = !one
    if (!one) return
    const letter = tag.firstElementChild!
    letter.textContent = one.side
    letter.className = `side-${one.side.toLowerCase()}`
    tag.style.transform = `translate(${one.x.toFixed(0)}px, ${(one.y - 10).toFixed(0)}px)`
  })
}
