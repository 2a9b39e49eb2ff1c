/** The page of a crowd: many characters that the engine plays in the page, sent round, anywhere or to a place. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Body, Skeleton } from '../stage/figure'
import { People } from '../stage/people'
import type { Stage } from '../stage/stage'
import { Segmented, Slider } from '../ui/controls'
import { fmt } from '../ui/format'
import { Cloud } from './cloud'
import { publish } from './handle'
import { MOST, type Many } from './many'
import { Readout } from './map'
import { StageBox, Tools, Transport, useKeys, useShown, type Clock } from './shell'
import type { Way } from './walking'

const WAYS: readonly (readonly [Way, string])[] = [
  ['rings', 'Rings'],
  ['wander', 'Wander'],
  ['gather', 'Gather'],
]
const VIEW = { yaw: 0.6, pitch: 0.42, distance: 24, shiftX: 0, shiftY: 0.1 }
const FRAME = 1 / 60
const STILL = 5 // pixels that a finger may move between down and up of a click
const OFTEN = 0.1 // s between two pictures of the panel
const STEPS = 100 // of the slider for the count, which is finer for few

/** Counts on a slider: squares, so that a few characters can be chosen as exactly as many. */
const countOf = (step: number) => Math.max(1, Math.round(MOST * (step / STEPS) ** 2))
const stepOf = (count: number) => Math.round(STEPS * Math.sqrt(count / MOST))

export function CrowdPage({
  title,
  many,
  skeleton,
  body,
}: {
  title: string
  many: Many
  skeleton: Skeleton
  body: Body
}) {
  const [clock, setClock] = useState<Clock>({ playing: true, rate: 1 }),
    [, tick] = useState(0),
    [shown, change] = useShown()
  const live = useRef({ clock, shown }),
    people = useRef<People | null>(null),
    pace = useRef({ pictures: 0, since: 0, rate: 0, drawn: 0 })
  live.current = { clock, shown }
  const set = (one: Partial<Clock>) => setClock((before) => ({ ...before, ...one }))
  const refresh = () => tick((n) => n + 1)
  const show = () => people.current?.pose(many.matrices)
  const step = (frames: number) => {
    if (frames < 0) return
    set({ playing: false })
    many.advance(FRAME)
    show()
    refresh()
  }
  const go = (way: Way, place?: { x: number; z: number }) => {
    many.go(way, place)
    refresh()
  }
  const begin = (count: number) => {
    if (count !== many.count) {
      many.begin(count)
      show()
    }
    refresh()
  }
  useKeys(clock, set, step, shown, change)
  useEffect(() => {
    change({ follow: false })
  }, [])

  const ready = (stage: Stage) => {
    const own = (people.current = new People(skeleton, body))
    stage.addPeople(own)
    show()
    stage.onFrame = (dt) => {
      const { clock, shown } = live.current,
        now = pace.current
      if (clock.playing) {
        many.advance(dt * clock.rate)
        show()
      }
      if (shown.follow) {
        const m = many.matrices
        stage.camera.track(m[3], m[11], Math.atan2(m[2], m[10]), own.height, dt)
      }
      now.pictures++
      now.since += dt
      now.drawn += dt
      if (now.since >= 1) {
        now.rate = now.pictures / now.since
        now.pictures = now.since = 0
      }
      if (now.drawn >= OFTEN) {
        now.drawn = 0
        refresh()
      }
    }
    const unclick = onClick(stage, (x, y) => {
      const place = stage.groundAt(x, y)
      if (place) go('gather', place)
    })
    const unpublish = publish({
      play: (on) => set({ playing: on }),
      many,
      go,
      begin,
      step: (seconds: number) => {
        many.advance(seconds)
        show()
        refresh()
      },
    })
    return () => {
      unclick()
      unpublish()
    }
  }

  const now = many.now(),
    speeds = many.blocks.flatMap((b) => b.plan.speeds),
    slowest = Math.max(0.1, Math.min(...speeds)),
    fastest = Math.max(slowest + 0.1, ...speeds)
  return (
    <main class="page page--loops page--crowd">
      <div class="stage-column">
        <StageBox ready={ready} view={VIEW} label={`A crowd of ${title}. Click on the ground to gather it there.`}>
          <Tools shown={shown} change={change} crowd />
          <div class="readouts" role="group" aria-label="Live">
            <Readout
              label="Characters"
              value={String(many.count)}
              unit=""
              note={`${skeleton.names.length} joints each`}
            />
            <Readout
              label="Step"
              value={fmt(many.cost, 2)}
              unit="ms"
              note={`${fmt((1000 * many.cost) / many.count, 1)} µs each`}
            />
            <Readout
              label="Pictures"
              value={pace.current.rate ? fmt(pace.current.rate, 0) : '–'}
              unit="/s"
              note="drawn here"
            />
          </div>
          <div class="page-title">
            <h1>{title}</h1>
          </div>
        </StageBox>
        <section class="timeline" aria-label="Timeline">
          <Transport clock={clock} set={set} step={step} oneWay text={`${fmt(many.time, 1)} s`} />
        </section>
      </div>
      <aside class="page-side panel" aria-label="Crowd">
        <div class="panel-head">
          <h2 class="panel-title">Crowd</h2>
          <span class="grow" />
          <Segmented value={many.way} options={WAYS} label="Where they go" onChange={(way) => go(way)} />
        </div>
        {many.blocks.map((block, k) => (
          <Cloud
            key={block.name}
            plan={block.plan}
            points={now.filter((one) => one.block === k).map((one) => one.point)}
          />
        ))}
        <div class="section">
          <div class="crowd-setting">
            <span>Characters</span>
            <Slider
              value={stepOf(many.count)}
              min={1}
              max={STEPS}
              label="Characters"
              text={String(many.count)}
              onInput={(v) => begin(countOf(v))}
            />
            <span class="num">{many.count}</span>
          </div>
          <div class="crowd-setting">
            <span>Speed</span>
            <Slider
              value={many.speed}
              min={slowest}
              max={fastest}
              step={0.05}
              label="Speed"
              text={`${fmt(many.speed)} metres per second`}
              onInput={(v) => {
                many.speed = v
                refresh()
              }}
            />
            <span class="num">{fmt(many.speed)} m/s</span>
          </div>
        </div>
        <p class="page-note">
          Click on the ground to gather the crowd there. Drag to turn the view, use the wheel to come nearer. Each
          character has a blending point of its own in the map above, and its planted feet are held, by the engine in
          this page.
        </p>
      </aside>
    </main>
  )
}

/** Call back for clicks on the canvas that were not the end of a drag, with their place in pixels. */
function onClick(stage: Stage, does: (x: number, y: number) => void): () => void {
  const { canvas } = stage
  let at: { x: number; y: number } | null = null
  const down = (e: PointerEvent) => {
    at = e.isPrimary && e.button === 0 ? { x: e.clientX, y: e.clientY } : null
  }
  const up = (e: PointerEvent) => {
    if (!at || Math.hypot(e.clientX - at.x, e.clientY - at.y) > STILL) return
    const box = canvas.getBoundingClientRect()
    does(e.clientX - box.left, e.clientY - box.top)
  }
  canvas.addEventListener('pointerdown', down)
  canvas.addEventListener('pointerup', up)
  return () => {
    canvas.removeEventListener('pointerdown', down)
    canvas.removeEventListener('pointerup', up)
  }
}
