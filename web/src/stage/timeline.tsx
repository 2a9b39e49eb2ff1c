/** Time: one cycle with the plants of both feet, to scrub in phase and seconds; play, step, slower, compare. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { bindKeys } from '../app/keys'
import {
  act,
  block,
  calmHero,
  character,
  compared,
  connection,
  hero,
  isCharacter,
  network,
  playing,
  playRate,
  selectedNode,
  showBeside,
  shown,
  tell,
} from '../app/store'
import { FRAME } from '../messages'
import { calmWeights } from '../network/live'
import { Button, useSize } from '../ui/controls'
import { PlantBars } from '../ui/plants'
import { CyclePlants } from './cycle_plants'

const RATES = [0.1, 0.25, 0.5, 1]

export function setPlaying(on: boolean): void {
  playing.value = on
  void act({ type: 'play', playing: on, rate: playRate.value })
}
export function setRate(rate: number): void {
  playRate.value = rate
  void act({ type: 'play', playing: playing.value, rate })
}
export function step(frames: number): void {
  playing.value = false
  void act({ type: 'step', frames })
}
const slower = () => setRate(RATES[Math.max(0, RATES.indexOf(playRate.value) - 1)])
const faster = () => setRate(RATES[Math.min(RATES.length - 1, RATES.indexOf(playRate.value) + 1)])

/** The capture of the chosen node, or of the one that counts most, in phase beside the character. */
export function compare(): void {
  const on = compared.value.node !== '',
    b = block.value
  const best = [...calmWeights.value].sort((p, q) => q.weight - p.weight)[0]
  const node = on ? '' : selectedNode.value || (best && b ? b.nodes[best.node].name : '')
  if (on || node) void showBeside(node, b?.name ?? '')
}

export function onion(): void {
  const on = !shown.value.onion
  void act({ type: 'onion', ghosts: on ? 3 : 0 }).then((done) => {
    if (done) shown.value = { ...shown.value, onion: on }
  })
}

export function useTimeKeys(): void {
  useEffect(
    () =>
      bindKeys([
        { keys: ['space'], as: 'Space', group: 'Time', does: 'play or pause', run: () => setPlaying(!playing.value) },
        { keys: [','], group: 'Time', does: 'a frame back', run: () => step(-1) },
        { keys: ['.'], group: 'Time', does: 'a frame on', run: () => step(1) },
        { keys: ['-'], group: 'Time', does: 'slower', run: slower },
        { keys: ['=', '+'], as: '=', group: 'Time', does: 'faster', run: faster },
        { keys: ['g'], group: 'Time', does: 'compare with the capture', run: compare },
      ]),
    [],
  )
}

function Clock() {
  const f = hero.value?.fields,
    phase = f ? f[FRAME.phase] / (2 * Math.PI) : 0
  return (
    <span class="num muted">{f ? `${(phase * f[FRAME.period]).toFixed(3)} s · ${Math.round(phase * 360)}°` : '–'}</span>
  )
}

export function Timeline() {
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="transport">
        <div class="transport-row">
          <Button kind="quiet" icon="back" aria-label="Frame back, comma" onClick={() => step(-1)} />
          <Button
            class="button--play"
            icon={playing.value ? 'pause' : 'play'}
            aria-label={playing.value ? 'Pause, space' : 'Play, space'}
            onClick={() => setPlaying(!playing.value)}
          />
          <Button kind="quiet" icon="step" aria-label="Frame on, full stop" onClick={() => step(1)} />
          <label class="rate">
            <span class="visually-hidden">Playback rate</span>
            <select
              class="select num"
              value={String(playRate.value)}
              onChange={(e) => setRate(Number(e.currentTarget.value))}
            >
              {RATES.map((r) => (
                <option key={r} value={String(r)} selected={r === playRate.value}>
                  {r === 1 ? '1.0' : r}×
                </option>
              ))}
            </select>
          </label>
        </div>
        <div class="transport-clock">
          <Clock />
        </div>
        <Button
          kind="quiet"
          size="sm"
          icon="compare"
          aria-pressed={compared.value.node !== ''}
          aria-label={
            compared.value.node ? `End the comparison with ${compared.value.node}` : 'Compare with the capture, G'
          }
          title={compared.value.text || 'Compare with the capture (G)'}
          onClick={compare}
        >
          {compared.value.node ? <span class="clip-name">{compared.value.node}</span> : 'Capture'}
        </Button>
      </div>
      <Cycle />
    </section>
  )
}

/** The cycle itself: bars of plants, ticks in degrees and seconds, the playhead. */
function Cycle() {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    memory = useRef(new CyclePlants()),
    [, redraw] = useState(0),
    scrubbing = useRef(false)
  const revision = network.value?.revision,
    number = character.value
  useEffect(() => {
    memory.current.clear()
    let count = 0
    return connection.onFrame((frame) => {
      const one = frame.figures.find((f) => isCharacter(f) && f.fields[FRAME.number] === number)
      if (!one) return
      memory.current.note(one.fields[FRAME.phase], one.fields[FRAME.planted])
      if (++count % 8 === 0) redraw((x) => x + 1)
    })
  }, [revision, number])
  const x0 = 56,
    x1 = w - 24,
    ww = Math.max(1, x1 - x0),
    lanes = { left: 28, right: 59 },
    bar = 10
  const period = calmHero.value?.fields[FRAME.period] ?? 1
  const heaviest = [...calmWeights.value].sort((p, q) => q.weight - p.weight)[0]
  const plants = memory.current.shares(heaviest ? block.value?.nodes[heaviest.node]?.plants : {})
  const scrub = (e: PointerEvent) => {
    const r = (e.currentTarget as Element).getBoundingClientRect(),
      phase = Math.max(0, Math.min(359.9, ((e.clientX - r.left - x0) / ww) * 360))
    playing.value = false
    tell({ type: 'scrub', phase, character: character.value })
  }
  const keys = (e: KeyboardEvent) => {
    const way = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 }[e.key]
    if (!way) return
    e.preventDefault()
    e.stopPropagation()
    const now = ((hero.value?.fields[FRAME.phase] ?? 0) / (2 * Math.PI)) * 360
    playing.value = false
    tell({ type: 'scrub', phase: (now + 3 * way + 360) % 360, character: character.value })
  }
  return (
    <div class="timeline-cycle" ref={attach}>
      {w > 0 && (
        <svg
          viewBox={`0 0 ${w} ${h}`}
          width={w}
          height={h}
          aria-label="Foot plants of one cycle; drag to scrub"
          role="group"
          onPointerDown={(e) => {
            scrubbing.current = true
            e.currentTarget.setPointerCapture(e.pointerId)
            scrub(e)
          }}
          onPointerMove={(e) => {
            if (scrubbing.current) scrub(e)
          }}
          onPointerUp={() => {
            scrubbing.current = false
          }}
          onPointerCancel={() => {
            scrubbing.current = false
          }}
        >
          {Array.from({ length: 9 }, (_, i) => {
            const x = x0 + (ww * i) / 8
            return (
              <g key={i} aria-hidden="true">
                <line class="tick" x1={x} x2={x} y1={lanes.left - 4} y2={lanes.right + 26} />
                <text class="tick-label" x={x} y={16} text-anchor="middle">
                  {i * 45}°
                </text>
                <text class="tick-label" x={x} y={lanes.right + 42} text-anchor="middle">
                  {((period * i) / 8).toFixed(2)}
                  {i === 8 ? ' s' : ''}
                </text>
              </g>
            )
          })}
          <g aria-hidden="true">
            <text class="lane-l" x={16} y={lanes.left + 9}>
              L
            </text>
            <text class="lane-label" x={28} y={lanes.left + 9}>
              heel
            </text>
            <text class="lane-label" x={28} y={lanes.left + 21}>
              toe
            </text>
            <text class="lane-r" x={16} y={lanes.right + 9}>
              R
            </text>
            <text class="lane-label" x={28} y={lanes.right + 9}>
              heel
            </text>
            <text class="lane-label" x={28} y={lanes.right + 21}>
              toe
            </text>
            {[lanes.left, lanes.left + bar + 2, lanes.right, lanes.right + bar + 2].map((y) => (
              <rect key={y} class="lane" x={x0} y={y} width={ww} height={bar} rx={2} />
            ))}
          </g>
          <PlantBars plants={plants} x={x0} w={ww} lanes={lanes} bar={bar} />
          <Playhead x0={x0} w={ww} bottom={lanes.right + 26} onKeyDown={keys} />
        </svg>
      )}
    </div>
  )
}

function Playhead({
  x0,
  w,
  bottom,
  onKeyDown,
}: {
  x0: number
  w: number
  bottom: number
  onKeyDown: (e: KeyboardEvent) => void
}) {
  const phase = (hero.value?.fields[FRAME.phase] ?? 0) / (2 * Math.PI)
  return (
    <g
      class="playhead"
      transform={`translate(${(x0 + phase * w).toFixed(1)} 0)`}
      tabindex={0}
      role="slider"
      aria-label="Cycle phase"
      aria-valuemin={0}
      aria-valuemax={360}
      aria-valuenow={Math.round(phase * 360)}
      aria-valuetext={`${Math.round(phase * 360)} degrees`}
      onKeyDown={onKeyDown}
    >
      <line x1={0} x2={0} y1={20} y2={bottom} />
      <path d="M-5 18h10v4l-5 5-5-5z" />
    </g>
  )
}
