/** The page of a clip or a recording: the character, its plants over time, and the time at hand. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Body, Skeleton } from '../stage/figure'
import type { Stage } from '../stage/stage'
import { useSize } from '../ui/controls'
import { decimals, fmt, ticks } from '../ui/format'
import { Lanes } from './lanes'
import { StageBox, Tools, Transport, useKeys, useShown, type Clock } from './shell'
import type { Take } from './take'
import { publish } from './handle'

export function MotionPage({
  title,
  take,
  skeleton,
  body,
}: {
  title: string
  take: Take
  skeleton: Skeleton
  body: Body
}) {
  const [clock, setClock] = useState<Clock>({ playing: true, rate: 1 }),
    [now, setNow] = useState(0)
  const live = useRef({ clock, time: 0, laps: 0 }),
    stage = useRef<Stage | null>(null),
    [shown, change] = useShown()
  const [strip, { w: width, h: height }] = useSize<HTMLDivElement>()
  const set = (one: Partial<Clock>) => setClock((before) => (live.current.clock = { ...before, ...one }))
  const show = (seconds: number) => {
    live.current.time = seconds
    const { pose, held } = take.at(seconds)
    stage.current?.pose(0, pose, { time: seconds, held })
    setNow(seconds)
  }
  const seek = (seconds: number) => {
    set({ playing: false })
    show(Math.max(0, Math.min(take.end, seconds)))
  }
  const step = (frames: number) => seek((Math.round(live.current.time * take.frameRate) + frames) / take.frameRate)
  useKeys(clock, set, step, shown, change)

  const ready = (made: Stage) => {
    stage.current = made
    made.add(0, skeleton, body)
    made.onFrame = (dt) => {
      const {
        clock: { playing, rate },
        time,
      } = live.current
      if (!playing) return
      const next = time + dt * rate
      if (next > take.end) {
        made.forget()
        made.camera.reset()
        show(take.end > 0 ? next % take.end : 0)
      } else show(next)
    }
    show(0)
    return publish({
      seek: (s) => seek(s),
      play: (on) => set({ playing: on }),
      joints: () => Array.from(made.character(0)!.positions),
    })
  }
  useEffect(() => {
    stage.current?.show(shown)
  }, [])

  const bars = useMemo(
    () => [0, 1, 2, 3].map((p) => take.plants(p).map(([a, b]) => [a / take.frames, (b + 1) / take.frames] as const)),
    [take],
  )
  const at = ticks(0, take.seconds, Math.max(2, Math.min(10, width / 90)))
  const marks = at.map((s) => ({
    at: s / take.seconds,
    above: `${Math.round(s * take.frameRate)}`,
    below: `${fmt(s, decimals(at))} s`,
  }))
  const frame = Math.round(now * take.frameRate)
  return (
    <main class="page page--motion">
      <StageBox ready={ready} label={`The character of ${title}. Drag to look from another side.`}>
        <Tools shown={shown} change={change} />
        <div class="page-title">
          <h1>{title}</h1>
          <div class="page-chips">
            <span class="chip num">{take.frames} frames</span>
            <span class="chip num">{fmt(take.frameRate, take.frameRate % 1 ? 2 : 0)} Hz</span>
            <span class="chip num">{fmt(take.seconds)} s</span>
            <span class="chip num">{fmt(take.metres, 1)} m</span>
            {take.cut ? <span class="chip chip--warn">first part of a longer motion</span> : null}
          </div>
        </div>
      </StageBox>
      <section class="timeline" aria-label="Timeline">
        <Transport clock={clock} set={set} step={step} text={`${fmt(now, 3)} s · frame ${frame}`} />
        <div ref={strip}>
          {width > 0 ? (
            <Lanes
              width={width}
              height={height}
              bars={bars}
              ticks={marks}
              at={now / take.seconds}
              label="Time"
              value={`${fmt(now)} seconds`}
              onSeek={(u) => seek(u * take.seconds)}
            />
          ) : null}
        </div>
      </section>
    </main>
  )
}
