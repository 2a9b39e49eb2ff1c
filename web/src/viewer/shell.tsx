/** What every page has: a stage with its tools, keys and gestures, the time at hand, light and dark. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { hands } from '../stage/hands'
import { Stage, type View } from '../stage/stage'
import { Icon, type IconName } from '../ui/icons'

/** A stage in a page: `ready` is called once with it, and what it returns when the stage goes. */
export function StageBox({
  ready,
  view,
  label,
  children,
}: {
  ready: (stage: Stage) => (() => void) | void
  view?: Partial<View>
  label: string
  children?: ComponentChildren
}) {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const stage = new Stage(canvas.current!, view)
    const release = hands(stage),
      done = ready(stage)
    stages.add(stage)
    stage.start()
    return () => {
      stages.delete(stage)
      release()
      done?.()
      stage.dispose()
    }
  }, [])
  return (
    <section class="stage" aria-label={label}>
      <canvas ref={canvas} tabindex={0} aria-label={label} />
      {children}
    </section>
  )
}

const stages = new Set<Stage>()

export type Shown = { body: boolean; feet: boolean; trail: boolean; follow: boolean }

/** What is drawn, for all stages of the page; keys as in the studio. */
export function useShown(): [Shown, (change: Partial<Shown>) => void] {
  const [shown, setShown] = useState<Shown>({ body: true, feet: true, trail: true, follow: true })
  const change = (one: Partial<Shown>) => setShown((before) => ({ ...before, ...one }))
  useEffect(() => {
    for (const stage of stages) {
      stage.show({ body: shown.body, feet: shown.feet, trail: shown.trail })
      stage.camera.follow = shown.follow
    }
  }, [shown])
  return [shown, change]
}

/** Buttons of the stage; a crowd has no prints and trails. */
export function Tools({
  shown,
  change,
  crowd = false,
}: {
  shown: Shown
  change: (one: Partial<Shown>) => void
  crowd?: boolean
}) {
  const tool = (on: boolean, icon: IconName, title: string, text: string, click: () => void) => (
    <button class="tool" aria-pressed={on} aria-label={title} title={title} onClick={click}>
      <Icon name={icon} />
      {text}
    </button>
  )
  return (
    <>
      <div class="stage-tools">
        <div class="toolbar" role="toolbar" aria-label="What is drawn">
          {tool(shown.body, 'body', 'Body (V)', 'Body', () => change({ body: true }))}
          {tool(!shown.body, 'bones', 'Skeleton (K)', 'Skeleton', () => change({ body: false }))}
          {crowd ? null : (
            <>
              <i class="tool-divider" />
              {tool(shown.feet, 'feet', 'Foot plants (F)', '', () => change({ feet: !shown.feet }))}
              {tool(shown.trail, 'trail', 'Trail (T)', '', () => change({ trail: !shown.trail }))}
            </>
          )}
        </div>
      </div>
      <div class="stage-tools stage-tools--end">
        <div class="toolbar" role="toolbar" aria-label="Camera and theme">
          {tool(shown.follow, 'camera', 'The camera follows (C)', 'Follow', () => change({ follow: !shown.follow }))}
          {tool(false, 'sun', 'Dark or light', '', switchTheme)}
        </div>
      </div>
    </>
  )
}

export function switchTheme(): void {
  const root = document.documentElement
  root.dataset.theme = root.dataset.theme === 'light' ? 'dark' : 'light'
  for (const stage of stages) stage.recolour()
}

export interface Clock {
  playing: boolean
  rate: number
}
const RATES = [0.1, 0.25, 0.5, 1]

/** Space, comma, full stop, minus and equals, and the letters of the tools. */
export function useKeys(
  clock: Clock,
  set: (change: Partial<Clock>) => void,
  step: (frames: number) => void,
  shown: Shown,
  change: (one: Partial<Shown>) => void,
): void {
  useEffect(() => {
    const down = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test((e.target as HTMLElement).tagName))
        return
      const act: { [key: string]: () => void } = {
        ' ': () => set({ playing: !clock.playing }),
        ',': () => step(-1),
        '.': () => step(1),
        '-': () => set({ rate: slower(clock.rate) }),
        '=': () => set({ rate: faster(clock.rate) }),
        v: () => change({ body: true }),
        k: () => change({ body: false }),
        f: () => change({ feet: !shown.feet }),
        t: () => change({ trail: !shown.trail }),
        c: () => change({ follow: !shown.follow }),
      }
      const does = act[e.key.toLowerCase()]
      if (!does || (e.key === ' ' && (e.target as HTMLElement).tagName === 'BUTTON')) return
      e.preventDefault()
      does()
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  })
}

const slower = (rate: number) => RATES[Math.max(0, RATES.indexOf(rate) - 1)]
const faster = (rate: number) => RATES[Math.min(RATES.length - 1, RATES.indexOf(rate) + 1)]

export function Transport({
  clock,
  set,
  step,
  text,
  oneWay = false,
}: {
  clock: Clock
  set: (change: Partial<Clock>) => void
  step: (frames: number) => void
  text: string
  oneWay?: boolean
}) {
  return (
    <div class="transport">
      <div class="transport-row">
        {oneWay ? null : (
          <button class="button button--quiet button--icon" aria-label="Frame back, comma" onClick={() => step(-1)}>
            <Icon name="back" />
          </button>
        )}
        <button
          class="button button--play button--icon"
          aria-label={clock.playing ? 'Pause, space' : 'Play, space'}
          onClick={() => set({ playing: !clock.playing })}
        >
          <Icon name={clock.playing ? 'pause' : 'play'} />
        </button>
        <button class="button button--quiet button--icon" aria-label="Frame on, full stop" onClick={() => step(1)}>
          <Icon name="step" />
        </button>
        <button
          class="button button--quiet num rate-button"
          aria-label={`Playback rate ${clock.rate}, press to change`}
          onClick={() => set({ rate: clock.rate === RATES[0] ? 1 : slower(clock.rate) })}
        >
          {clock.rate === 0.25 ? '0.25' : clock.rate.toFixed(1)}×
        </button>
      </div>
      <div class="num muted transport-time">{text}</div>
    </div>
  )
}
