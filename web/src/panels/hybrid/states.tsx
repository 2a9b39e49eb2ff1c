/** What was played when: blocks, changes and the waits for them, with the speed of the root, over the last seconds. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { connection, network } from '../../app/store'
import { FRAME } from '../../messages'
import { useSize } from '../../ui/controls'
import { fmt, path, ticks } from '../../ui/format'

const SECONDS = 12 // on the strip
const EVERY = 1 / 15 // s between samples

interface Sample {
  t: number
  x: number
  z: number
  speed: number
  state: number
  block: number
  arc: number
}

/** Kept while other panels are open too, so that the strip is full when one comes back. */
const log: Sample[] = []
let listening = false

function listen(): void {
  if (listening) return
  listening = true
  connection.onFrame((frame) => {
    const one = frame.figures.find((f) => f.fields[FRAME.figure] === 0)
    if (!one) return
    const f = one.fields,
      t = f[FRAME.time],
      last = log.at(-1)
    if (last && (t < last.t || t > last.t + 2)) log.length = 0
    if (last && t - last.t < EVERY) return
    const x = one.root[0],
      z = one.root[2],
      raw = last && t > last.t ? Math.hypot(x - last.x, z - last.z) / (t - last.t) : f[FRAME.speed],
      speed = last ? 0.6 * last.speed + 0.4 * raw : raw
    log.push({ t, x, z, speed, state: f[FRAME.state], block: f[FRAME.block], arc: f[FRAME.arc] })
    while (log.length && log[0].t < t - SECONDS) log.shift()
  })
}

export function StatesStrip() {
  const [attach, { w, h }] = useSize<HTMLElement>(),
    [, tick] = useState(0),
    timer = useRef(0)
  useEffect(() => {
    listen()
    timer.current = window.setInterval(() => tick((n) => n + 1), 100)
    return () => clearInterval(timer.current)
  }, [])
  const view = network.value,
    end = log.at(-1)?.t ?? 0,
    start = end - SECONDS,
    x0 = 64,
    x1 = w - 24,
    y0 = 44,
    y1 = h - 28
  const top = Math.max(1, ...log.map((s) => s.speed)) * 1.15,
    marks = ticks(0, top, 3),
    X = (t: number) => x0 + Math.max(0, (t - start) / SECONDS) * (x1 - x0),
    Y = (v: number) => y1 - (v / top) * (y1 - y0 - 24)
  const runs: { from: number; to: number; state: number; block: number; arc: number }[] = []
  for (const s of log) {
    const last = runs.at(-1)
    if (last && last.state === s.state && last.block === s.block && last.arc === s.arc) last.to = s.t
    else {
      if (last) last.to = s.t
      runs.push({ from: s.t, to: s.t, state: s.state, block: s.block, arc: s.arc })
    }
  }
  const name = (r: (typeof runs)[number]) =>
    r.state === 2
      ? (view?.arcs[r.arc]?.name ?? 'change')
      : r.state === 1
        ? ''
        : view?.blocks[r.block]?.name || 'network'
  const seconds: number[] = []
  for (let t = Math.ceil(start / 2) * 2; t <= end; t += 2) if (t >= 0) seconds.push(t)
  return (
    <section class="states-strip" ref={attach} aria-label="What was played when">
      {w > 100 ? (
        <svg viewBox={`0 0 ${w} ${h}`} width={w} height={h}>
          <defs>
            <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <line class="hatch-line" x1="0" x2="0" y1="0" y2="6" stroke-width="2" />
            </pattern>
          </defs>
          <text x={16} y={25} class="strip-title">
            Played
          </text>
          <text x={68} y={25} class="tick-label">
            the last {SECONDS} seconds; hatched: waiting for the start of a change
          </text>
          {runs.map((r, i) => {
            const x = X(r.from),
              width = X(r.to) - x,
              text = name(r)
            return (
              <g key={i}>
                <rect
                  class={`state state--${['network', 'waiting', 'change'][r.state]}`}
                  x={x}
                  y={y0}
                  width={Math.max(width - 1, 2)}
                  height={y1 - y0}
                  rx={3}
                />
                {text && width > text.length * 6 + 12 ? (
                  <text
                    class={`candidate-label${r.state === 2 ? ' candidate-label--chosen' : ''}`}
                    x={x + 8}
                    y={y0 + 16}
                  >
                    {text}
                  </text>
                ) : null}
              </g>
            )
          })}
          {marks.map((v) => (
            <g key={v}>
              <text class="tick-label" x={x0 - 8} y={Y(v) + 4} text-anchor="end">
                {fmt(v, 1)}
              </text>
              <line class="tick" x1={x0} x2={x1} y1={Y(v)} y2={Y(v)} />
            </g>
          ))}
          {seconds.map((t) => (
            <text key={t} class="tick-label" x={X(t)} y={h - 9} text-anchor="middle">
              {fmt(t, 0)} s
            </text>
          ))}
          <text class="tick-label" x={16} y={y0 + 12}>
            m/s
          </text>
          {log.length > 1 ? (
            <path class="curve curve--ink" d={path(log.map((s) => [X(s.t), Y(s.speed)] as const))} />
          ) : null}
          {runs.flatMap((r, i) =>
            (r.state === 2 || runs[i - 1]?.state === 2) && i
              ? [<line key={i} class="seam-mark" x1={X(r.from)} x2={X(r.from)} y1={y0 - 4} y2={y1} />]
              : [],
          )}
        </svg>
      ) : null}
    </section>
  )
}
