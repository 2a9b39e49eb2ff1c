/** The page of a network that the engine itself plays: drag its point, or steer by keys, touch and gamepad. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Body, Skeleton } from '../stage/figure'
import type { Stage } from '../stage/stage'
import { useSize } from '../ui/controls'
import { fmt, signed } from '../ui/format'
import { Changes } from './changes'
import { publish } from './handle'
import { Lanes } from './lanes'
import { PointMap, Readout, Shares } from './map'
import { degrees, type Block, type Captured, type Runner } from './runner'
import { StageBox, Tools, Transport, useKeys, useShown, type Clock } from './shell'

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  w: [0, 1],
  s: [0, -1],
  a: [1, 0],
  d: [-1, 0],
  arrowup: [0, 1],
  arrowdown: [0, -1],
  arrowleft: [1, 0],
  arrowright: [-1, 0],
}
const RATE = 0.7 // of the network's width and height that a held key moves the point by in a second
const FRAME = 1 / 60
const SECONDS = 4 // of plants that are shown

export function SteeredPage({
  title,
  runner,
  skeleton,
  body,
}: {
  title: string
  runner: Runner
  skeleton: Skeleton
  body: Body
}) {
  const [clock, setClock] = useState<Clock>({ playing: true, rate: 1 }),
    [, tick] = useState(0),
    [shown, change] = useShown()
  const live = useRef(clock),
    stage = useRef<Stage | null>(null),
    pressed = useRef(new Set<string>()),
    [strip, { w: width, h: height }] = useSize<HTMLDivElement>()
  const past = useRef<{ time: number; planted: readonly boolean[] }[]>([])
  const set = (one: Partial<Clock>) => setClock((before) => (live.current = { ...before, ...one }))
  const show = () => {
    const { planted } = runner.now
    past.current = [
      ...past.current.filter((one) => one.time > runner.time - SECONDS && one.time < runner.time),
      { time: runner.time, planted },
    ]
    stage.current?.pose(0, runner.pose(), {
      time: runner.time,
      held: { L: planted[0] || planted[1], R: planted[2] || planted[3] },
    })
    tick((n) => n + 1)
  }
  const steer = (x: number, y: number) => {
    runner.aim(x, y)
    tick((n) => n + 1)
  }
  const step = (frames: number) => {
    if (frames < 0) return
    set({ playing: false })
    runner.step(FRAME)
    show()
  }
  const enter = (block: Block) => {
    runner.enter(block)
    show()
  }
  const take = (one: Captured) => {
    runner.take(one)
    set({ playing: true })
    show()
  }
  useKeys(clock, set, step, shown, change)
  useSteeringKeys(pressed.current)
  useChangeKeys(runner, take)

  const ready = (made: Stage) => {
    stage.current = made
    made.add(0, skeleton, body)
    made.onFrame = (dt) => {
      const [x, y] = wayOf(pressed.current)
      if (x || y) {
        const { at } = runner.block.plan,
          size = [0, 1].map((k) => Math.max(...at.map((p) => p[k])) - Math.min(...at.map((p) => p[k])))
        steer(runner.goal[0] + RATE * dt * x * size[0], runner.goal[1] + RATE * dt * y * size[1])
      }
      if (live.current.playing) {
        runner.advance(dt * live.current.rate)
        show()
      }
    }
    show()
    return publish({
      play: (on) => set({ playing: on }),
      joints: () => Array.from(made.character(0)!.positions),
      runner,
      step: (seconds: number) => {
        runner.step(seconds)
        show()
      },
      begin: (x: number, y: number) => {
        runner.begin(x, y)
        past.current = []
        made.forget()
        show()
      },
      point: (x, y) => steer(x, y),
      take: (name: string) => {
        const one = runner.changes.find((c) => c.name === name)
        if (one) take(one)
      },
    })
  }

  const { rates, asked } = runner,
    plan = runner.block.plan,
    steerable = plan.nodes.length > 1
  const marks = Array.from({ length: SECONDS + 1 }, (_, i) => ({
    at: i / SECONDS,
    above: '',
    below: i === SECONDS ? 'now' : `${i - SECONDS} s`,
  }))
  return (
    <main class={`page page--loops ${steerable || runner.blocks.length > 1 ? '' : 'page--one'}`}>
      <div class="stage-column">
        <StageBox ready={ready} label={`The character of ${title}. Arrow keys steer it.`}>
          <Tools shown={shown} change={change} />
          <div class="readouts" role="group" aria-label="Live">
            <Readout label="Speed" value={fmt(rates.speed)} unit="m/s" note={`asked ${fmt(asked.speed)}`} />
            <Readout
              label="Turn"
              value={signed(degrees(rates.turn))}
              unit="°/s"
              note={`asked ${signed(degrees(asked.turn))}`}
            />
            <Readout
              label="Period"
              value={fmt(rates.seconds, 3)}
              unit="s"
              note={`${runner.block.network.harmonics} harmonics`}
            />
          </div>
          <div class="page-title">
            <h1>{title}</h1>
          </div>
        </StageBox>
        <section class="timeline" aria-label="Timeline">
          <Transport
            clock={clock}
            set={set}
            step={step}
            oneWay
            text={`${fmt(runner.time, 2)} s · ${Math.round(degrees(runner.now.phase))}°`}
          />
          <div ref={strip}>
            {width > 0 ? (
              <Lanes
                width={width}
                height={height}
                bars={barsOf(past.current, runner.time)}
                ticks={marks}
                at={1}
                label="Plants of the last seconds"
                value={`${fmt(runner.time)} seconds`}
              />
            ) : null}
          </div>
        </section>
      </div>
      {steerable || runner.blocks.length > 1 ? (
        <aside class="page-side panel" aria-label="Network">
          <div class="panel-head">
            <h2 class="panel-title">{runner.blocks.length > 1 ? 'Blocks' : 'Network'}</h2>
            <span class="muted num">{plan.nodes.length} motions</span>
            <span class="grow" />
            {runner.blocks.length > 1 ? (
              <div class="tabs" role="tablist">
                {runner.blocks.map((b) => (
                  <button
                    key={b.name}
                    class="tab"
                    role="tab"
                    aria-selected={b === runner.block}
                    onClick={() => enter(b)}
                  >
                    {b.name}
                  </button>
                ))}
              </div>
            ) : null}
          </div>
          <PointMap
            plan={plan}
            goal={runner.goal}
            follows={runner.now.point}
            hidden={runner.playing !== null}
            onPoint={steer}
          />
          <Shares plan={plan} goal={runner.goal} />
          <Changes
            block={runner.block.name}
            now={runner.playing}
            wanted={runner.wanted}
            changes={runner.changes}
            onTake={take}
          />
          <p class="page-note">
            Drag the point, or hold W A S D or the arrow keys (with Shift: slowly), or use a gamepad. The network is
            blended in this page{runner.changes.length ? '; changes are played as captured' : ''}.
          </p>
        </aside>
      ) : null}
    </main>
  )
}

/** Which way held keys and a gamepad's stick send the point, each from −1 to 1. */
function wayOf(pressed: ReadonlySet<string>): [number, number] {
  let x = 0,
    y = 0
  for (const key of pressed)
    if (WAYS[key]) {
      x += WAYS[key][0]
      y += WAYS[key][1]
    }
  const pad = navigator.getGamepads?.().find((one) => one !== null),
    dead = (v: number) => (Math.abs(v) < 0.15 ? 0 : v)
  if (pad) {
    x -= dead(pad.axes[0] ?? 0)
    y -= dead(pad.axes[1] ?? 0)
  }
  const slow = pressed.has('shift') ? 0.15 : 1
  return [slow * Math.max(-1, Math.min(1, x)), slow * Math.max(-1, Math.min(1, y))]
}

function useSteeringKeys(pressed: Set<string>): void {
  useEffect(() => {
    const down = (e: KeyboardEvent) => {
      const key = e.key.toLowerCase()
      if (e.ctrlKey || e.metaKey || e.altKey || (!WAYS[key] && key !== 'shift')) return
      if (WAYS[key]) e.preventDefault()
      pressed.add(key)
    }
    const up = (e: KeyboardEvent) => pressed.delete(e.key.toLowerCase()),
      blur = () => pressed.clear()
    addEventListener('keydown', down)
    addEventListener('keyup', up)
    addEventListener('blur', blur)
    return () => {
      removeEventListener('keydown', down)
      removeEventListener('keyup', up)
      removeEventListener('blur', blur)
    }
  }, [])
}

/** Number keys take the changes that lead out of the block. */
function useChangeKeys(runner: Runner, take: (change: Captured) => void): void {
  useEffect(() => {
    const down = (e: KeyboardEvent) => {
      const one = runner.changes.filter((c) => c.source === runner.block.name)[Number(e.key) - 1]
      if (one && !e.ctrlKey && !e.metaKey && !e.altKey) take(one)
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  }, [])
}

/** Plants of the last seconds as shares of the strip, for the four foot points. */
function barsOf(past: readonly { time: number; planted: readonly boolean[] }[], now: number): [number, number][][] {
  const share = (time: number) => Math.max(0, 1 + (time - now) / SECONDS)
  return [0, 1, 2, 3].map((point) => {
    const bars: [number, number][] = []
    for (let i = 1; i < past.length; i++) {
      if (!past[i].planted[point]) continue
      const from = share(past[i - 1].time),
        until = share(past[i].time),
        last = bars.at(-1)
      if (last && past[i - 1].planted[point]) last[1] = until
      else bars.push([from, until])
    }
    return bars
  })
}
