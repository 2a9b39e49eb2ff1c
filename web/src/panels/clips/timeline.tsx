/** The clip along its frames: poses, plants whose edges can be dragged, the cycle taken and those that could be. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { act, hero, network } from '../../app/store'
import { FRAME, type Candidate, type ClipDetails } from '../../messages'
import { useSize } from '../../ui/controls'
import { Figure } from '../../ui/figure'
import { fmt, int16, signed } from '../../ui/format'
import { startDrag } from '../drag'
import { skeletonOf } from './figures'

const POINTS = [
  ['left_heel', 'left', 'heel', 0],
  ['left_toe', 'left', 'toe', 1],
  ['right_heel', 'right', 'heel', 0],
  ['right_toe', 'right', 'toe', 1],
] as const
type Range = readonly [number, number]
type Plants = { readonly [point: string]: readonly Range[] }
const BAR = 8
const LANES = 3 // of candidates
const SHORTEST = 4 // frames of a cycle by hand

export function ClipTimeline({ clip }: { clip: ClipDetails }) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    svg = useRef<SVGSVGElement>(null)
  const [draft, setDraft] = useState<Range | null>(null),
    [plantDraft, setPlantDraft] = useState<{ plants: Plants; frame: number; point: string } | null>(null),
    [hover, setHover] = useState<number | null>(null)
  useEffect(() => {
    setDraft(null)
    setPlantDraft(null)
  }, [clip])
  const skeleton = useMemo(() => skeletonOf(clip), [clip]),
    poses = useMemo(() => int16(clip.poses), [clip])
  const first = clip.first_row,
    last = first + clip.frames,
    x0 = 64,
    x1 = w - 24
  const X = (row: number) => x0 + ((row - first) / Math.max(1, clip.frames)) * (x1 - x0),
    rowAt = (x: number) => Math.round(first + ((x - x0) / (x1 - x0)) * clip.frames)
  const top = Math.max(40, Math.min(190, h - 196)),
    size = (top - 8) / 1.78 / Math.max(0.5, clip.height / 1.75)
  const every = Math.max(1, Math.round(Math.max(26, size * 0.5) / ((x1 - x0) / Math.max(1, clip.pose_frames.length))))
  const plantY = top + 24,
    lanes = { left: plantY, right: plantY + 24 },
    candY = plantY + 60
  const taken: Range | null = draft ?? (clip.taken ? [clip.taken.start, clip.taken.start + clip.taken.frames] : null)
  const plants: Plants = plantDraft?.plants ?? clip.plants
  const within = (row: number) => Math.max(first, Math.min(last, row))

  const choose = (range: Range | null) => {
    void act({ type: 'choose_cycle', clip: clip.name, frames: range ? [range[0], range[1]] : null }).then((done) => {
      if (!done) setDraft(null)
    })
  }
  const dragEdge = (end: 0 | 1) => (e: PointerEvent) => {
    if (!taken) return
    let range: Range = taken
    startDrag(e, svg.current!, {
      move: (x) => {
        const row = within(rowAt(x))
        range = end ? [taken[0], Math.max(taken[0] + SHORTEST, row)] : [Math.min(taken[1] - SHORTEST, row), taken[1]]
        setDraft(range)
      },
      end: (kept) => {
        if (kept && (range[0] !== taken[0] || range[1] !== taken[1])) choose(range)
        else setDraft(null)
      },
    })
  }
  const dragRange = (e: PointerEvent) => {
    const from = within(rowAt(e.clientX - svg.current!.getBoundingClientRect().left))
    let range: Range | null = null
    startDrag(e, svg.current!, {
      move: (x) => {
        const row = within(rowAt(x))
        range = Math.abs(row - from) < SHORTEST ? null : [Math.min(from, row), Math.max(from, row)]
        setDraft(range)
      },
      end: (kept) => {
        if (kept && range) choose(range)
        else setDraft(null)
      },
    })
  }
  const dragPlant = (point: string, index: number, end: 0 | 1) => (e: PointerEvent) => {
    let made: Plants = plants,
      moved = false
    const bars = plants[point],
      low = end ? bars[index][0] : (bars[index - 1]?.[1] ?? first - 2) + 2,
      high = end ? (bars[index + 1]?.[0] ?? last + 1) - 2 : bars[index][1]
    startDrag(e, svg.current!, {
      move: (x) => {
        const row = Math.max(low, Math.min(high, end ? rowAt(x) - 1 : rowAt(x))),
          one: Range = end ? [bars[index][0], row] : [row, bars[index][1]]
        moved = one[end] !== bars[index][end]
        made = { ...plants, [point]: bars.map((b, i) => (i === index ? one : b)) }
        setPlantDraft({ plants: made, frame: row, point })
      },
      end: (kept) => {
        if (kept && moved)
          void act({ type: 'set_plants', clip: clip.name, plants: made as never }).then((done) => {
            if (!done) setPlantDraft(null)
          })
        else setPlantDraft(null)
      },
    })
  }
  const nudge = (end: 0 | 1) => (e: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key]
    if (e.key === 'Escape' || e.key === 'Backspace') {
      choose(null)
      e.preventDefault()
    }
    if (!by || !taken) return
    e.preventDefault()
    e.stopPropagation()
    const step = by * (e.shiftKey ? 10 : 1)
    choose(
      end
        ? [taken[0], within(Math.max(taken[0] + SHORTEST, taken[1] + step))]
        : [within(Math.min(taken[1] - SHORTEST, taken[0] + step)), taken[1]],
    )
  }
  const byHand = Boolean(
    clip.taken && clip.automatic && (clip.taken.start !== clip.automatic[0] || clip.taken.frames !== clip.automatic[1]),
  )
  const plantsByHand = JSON.stringify(clip.plants) !== JSON.stringify(clip.plants_found)
  // Where the character is in this clip, while it is played as a node.
  const phase = hero.value?.fields[FRAME.phase] ?? 0,
    playsHere = Boolean(clip.taken && network.value?.blocks.some((b) => b.nodes.some((n) => n.name === clip.node)))
  const head = playsHere && clip.taken ? clip.taken.start + (phase / (2 * Math.PI)) * clip.taken.frames : null
  const step = clip.seconds > 24 ? 4 : clip.seconds > 12 ? 2 : clip.seconds > 2.5 ? 1 : 0.5
  const seconds: number[] = []
  for (let s = 0; s <= clip.seconds + 1e-9; s += step / 2) seconds.push(s)
  const height = plantDraft
    ? clip.heights[plantDraft.point]?.[Math.round((plantDraft.frame - first) / Math.max(1, clip.height_step))]
    : undefined
  return (
    <section class="panel" aria-label="Plants and cycles">
      <div class="panel-head">
        <h2 class="panel-title">Plants and cycles</h2>
        <span class="muted">drag an edge, drag a range, or click a cycle</span>
        <span class="grow" />
        {plantsByHand ? (
          <button type="button" class="link" onClick={() => act({ type: 'set_plants', clip: clip.name, plants: null })}>
            Plants as found
          </button>
        ) : null}
        {byHand ? (
          <button type="button" class="link" onClick={() => choose(null)}>
            Automatic cycle
          </button>
        ) : null}
      </div>
      <div class="clip-canvas" ref={attach}>
        {w > 100 && h > 80 ? (
          <svg
            ref={svg}
            class="clip-timeline"
            viewBox={`0 0 ${w} ${h}`}
            width={w}
            height={h}
            onPointerMove={(e) => setHover(rowAt(e.clientX - e.currentTarget.getBoundingClientRect().left))}
            onPointerLeave={() => setHover(null)}
          >
            {taken ? (
              <rect
                class="range"
                x={X(taken[0])}
                y={4}
                width={Math.max(0, X(taken[1]) - X(taken[0]))}
                height={candY - 8}
              />
            ) : null}
            <rect
              class="range-field"
              x={x0}
              y={0}
              width={Math.max(0, x1 - x0)}
              height={top + 4}
              onPointerDown={dragRange}
              onDblClick={() => choose(null)}
            >
              <title>Drag to use a range as the cycle; double click for the automatic choice</title>
            </rect>
            <g pointer-events="none">
              {clip.pose_frames.map((row, i) =>
                i % every === 0 ? (
                  <Figure
                    key={row}
                    skeleton={skeleton}
                    points={poses}
                    row={i}
                    x={X(row)}
                    y={top}
                    scale={size}
                    turn={1.45}
                    width={1.4}
                    dim={Boolean(taken) && (row < taken![0] || row > taken![1])}
                  />
                ) : null,
              )}
            </g>
            {seconds.map((s, i) => {
              const x = X(first + s * clip.frame_rate)
              return (
                <g key={s}>
                  <line class="tick" x1={x} x2={x} y1={top + 6} y2={candY + LANES * 26 - 4} />
                  {i % 2 === 0 ? (
                    <>
                      <text class="tick-label" x={x} y={h - 8} text-anchor="middle">
                        {fmt(s, step < 1 ? 1 : 0)} s
                      </text>
                      <text class="tick-label" x={x} y={top + 18} text-anchor={s ? 'middle' : 'start'}>
                        {Math.round(first + s * clip.frame_rate)}
                      </text>
                    </>
                  ) : null}
                </g>
              )
            })}
            {(['left', 'right'] as const).map((side) => (
              <g key={side}>
                <text class={`lane-${side[0]}`} x={16} y={lanes[side] + 12}>
                  {side[0].toUpperCase()}
                </text>
                <text class="lane-label" x={28} y={lanes[side] + 8}>
                  heel
                </text>
                <text class="lane-label" x={28} y={lanes[side] + 18}>
                  toe
                </text>
              </g>
            ))}
            {POINTS.map(([point, side, , row]) => (
              <rect
                key={point}
                class="lane"
                x={x0}
                y={lanes[side] + row * (BAR + 2)}
                width={Math.max(0, x1 - x0)}
                height={BAR}
                rx={2}
              />
            ))}
            {POINTS.map(([point, side, part, row]) =>
              (plants[point] ?? []).map(([a, b], i) => {
                const y = lanes[side] + row * (BAR + 2),
                  xa = X(a),
                  xb = X(b + 1)
                return (
                  <g
                    key={`${point}${i}`}
                    class="plant-bar"
                    onDblClick={() => act({ type: 'set_plants', clip: clip.name, plants: null })}
                  >
                    <rect
                      class={`plant plant--${side} plant--${part}`}
                      x={xa.toFixed(1)}
                      y={y}
                      width={Math.max(1, xb - xa).toFixed(1)}
                      height={BAR}
                      rx={2}
                    >
                      <title>{`${side} ${part}, frames ${a}–${b}`}</title>
                    </rect>
                    {([0, 1] as const).map((end) => (
                      <rect
                        key={end}
                        class="plant-edge"
                        data-plant={`${point} ${i} ${end}`}
                        x={(end ? xb : xa) - (end ? 4 : 3)}
                        y={y - 1}
                        width={7}
                        height={BAR + 2}
                        onPointerDown={dragPlant(point, i, end)}
                      />
                    ))}
                  </g>
                )
              }),
            )}
            {taken
              ? ([0, 1] as const).map((end) => {
                  const x = X(taken[end])
                  return (
                    <g
                      key={end}
                      class="range-handle"
                      data-edge={end ? 'end' : 'start'}
                      tabindex={0}
                      role="slider"
                      aria-label={end ? 'End of the cycle' : 'Start of the cycle'}
                      aria-valuemin={first}
                      aria-valuemax={last}
                      aria-valuenow={taken[end]}
                      aria-valuetext={`frame ${taken[end]}`}
                      onPointerDown={dragEdge(end)}
                      onDblClick={() => choose(null)}
                      onKeyDown={nudge(end)}
                    >
                      <line class="range-edge" x1={x} x2={x} y1={4} y2={candY + 22} />
                      <rect class="range-hit" x={x - 8} y={4} width={16} height={top - 4} />
                      <rect class="range-grip" x={x - 3} y={top - 22} width={6} height={20} rx={3} />
                    </g>
                  )
                })
              : null}
            <text class="lane-label" x={16} y={candY + 15}>
              cycles
            </text>
            <Candidates clip={clip} X={X} y={candY} draft={draft} choose={choose} />
            {head !== null && head <= last ? (
              <g class="playhead" pointer-events="none">
                <line x1={X(head)} x2={X(head)} y1={top + 8} y2={candY - 8} />
                <path transform={`translate(${X(head)} ${top - 10})`} d="M-5 18h10v4l-5 5-5-5z" />
              </g>
            ) : null}
            {hover !== null && hover >= first && hover <= last && !draft && !plantDraft ? (
              <g class="hover-mark" pointer-events="none">
                <line x1={X(hover)} x2={X(hover)} y1={4} y2={candY - 8} />
                <text
                  x={X(hover) + (hover > last - 0.1 * clip.frames ? -6 : 6)}
                  y={14}
                  text-anchor={hover > last - 0.1 * clip.frames ? 'end' : 'start'}
                >
                  {hover}
                </text>
              </g>
            ) : null}
            {draft ? (
              <Tag
                x={(X(draft[0]) + X(draft[1])) / 2}
                y={16}
                w={w}
                text={`frames ${draft[0]}–${draft[1]} · ${fmt((draft[1] - draft[0]) / clip.frame_rate)} s`}
              />
            ) : null}
            {plantDraft ? (
              <Tag
                x={X(plantDraft.frame)}
                y={plantY - 18}
                w={w}
                text={`frame ${plantDraft.frame}${height === undefined ? '' : ` · ${fmt(height, 1)} cm`}`}
              />
            ) : null}
          </svg>
        ) : null}
      </div>
    </section>
  )
}

/** Cycles that could be taken, in lanes so that none covers another; the rest beyond the lanes are left out, worst first. */
function Candidates({
  clip,
  X,
  y,
  draft,
  choose,
}: {
  clip: ClipDetails
  X: (row: number) => number
  y: number
  draft: Range | null
  choose: (range: Range) => void
}) {
  const taken = clip.taken,
    best = clip.candidates[0],
    same = (a: Candidate, b: Candidate | null | undefined) => Boolean(b && a.start === b.start && a.frames === b.frames)
  const all = taken && !clip.candidates.some((c) => same(c, taken)) ? [taken, ...clip.candidates] : [...clip.candidates]
  const rows: number[][] = [],
    placed: { one: Candidate; row: number }[] = []
  const order = all.sort(
    (a, b) =>
      Number(same(b, taken)) - Number(same(a, taken)) ||
      Number(same(b, best)) - Number(same(a, best)) ||
      a.closing_cm - b.closing_cm,
  )
  for (const one of order) {
    let row = rows.findIndex((spans) =>
      spans.every((_, k) => k % 2 || one.start >= spans[k + 1] || one.start + one.frames <= spans[k]),
    )
    if (row < 0 && rows.length < LANES) {
      row = rows.length
      rows.push([])
    }
    if (row < 0) continue
    rows[row].push(one.start, one.start + one.frames)
    placed.push({ one, row })
  }
  return (
    <g class="candidates">
      {placed.map(({ one, row }) => {
        const x = X(one.start),
          width = X(one.start + one.frames) - x,
          chosen = same(one, taken) && !draft,
          first = same(one, best)
        const lead = chosen ? 'in use ' : first ? 'closes best ' : '',
          turn = width > (lead.length > 7 ? 150 : 124) ? ` · ${signed(one.turn)}°` : '',
          text = width > 64 ? `${lead}${fmt(one.closing_cm, 1)} cm${turn}` : width > 30 ? fmt(one.closing_cm, 1) : ''
        return (
          <g
            key={`${one.start} ${one.frames}`}
            class="candidate-pick"
            role="button"
            tabindex={0}
            aria-pressed={chosen}
            aria-label={`Cycle of frames ${one.start} to ${one.start + one.frames}, ends ${fmt(one.closing_cm, 1)} centimetres apart`}
            data-candidate={one.start}
            onClick={() => choose([one.start, one.start + one.frames])}
            onKeyDown={(e) => {
              if (e.key === 'Enter' || e.key === ' ') {
                e.preventDefault()
                e.stopPropagation()
                choose([one.start, one.start + one.frames])
              }
            }}
          >
            <title>{`frames ${one.start}–${one.start + one.frames}, ${fmt(one.speed)} m/s, ${signed(one.turn)}°, ends ${fmt(one.closing_cm, 1)} cm apart, ${one.steps} steps`}</title>
            <rect
              class={`candidate${chosen ? ' candidate--chosen' : first ? ' candidate--best' : ''}`}
              x={x + 1}
              y={y + 26 * row}
              width={Math.max(2, width - 2)}
              height={22}
              rx={4}
            />
            <text class={`candidate-label${chosen ? ' candidate-label--chosen' : ''}`} x={x + 8} y={y + 26 * row + 15}>
              {text}
            </text>
          </g>
        )
      })}
    </g>
  )
}

function Tag({ x, y, w, text }: { x: number; y: number; w: number; text: string }) {
  const width = text.length * 6 + 16,
    left = Math.max(4, Math.min(w - width - 4, x - width / 2))
  return (
    <g pointer-events="none">
      <rect class="drag-label" x={left} y={y - 14} width={width} height={22} rx={6} />
      <text class="drag-text" x={left + width / 2} y={y + 1} text-anchor="middle">
        {text}
      </text>
    </g>
  )
}
