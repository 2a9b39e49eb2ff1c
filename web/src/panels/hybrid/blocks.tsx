/** Blocks side by side, their triangles as the mode has them, the arcs between them, and the point. */
import { useRef, useState } from 'preact/hooks'
import { calmHero, hero, tell } from '../../app/store'
import { FRAME, type ArcRow, type Block, type ModeRow, type NetworkView } from '../../messages'
import { Labels, mapScale, rangeOf, type Scale, type Spot } from '../../network/geometry'
import { Button, useSize } from '../../ui/controls'
import { decimals, fmt, path, short, signed, ticks } from '../../ui/format'
import { startDrag } from '../drag'

const TOP = 60 // head of the picture
const MARGIN = 24
const GAP = 40

interface Frame {
  block: Block
  number: number
  x: number
  y: number
  w: number
  h: number
  scale: Scale
  pad: { l: number; r: number; t: number; b: number }
}

const many = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`
const key = (t: readonly number[]) => [...t].sort((a, b) => a - b).join()

export function BlocksMap({
  view,
  mode,
  chosen,
  onChoose,
  onAdd,
}: {
  view: NetworkView | null
  mode: ModeRow | undefined
  chosen: string
  onChoose: (arc: string) => void
  onAdd: () => void
}) {
  const [attach, { w, h }] = useSize<HTMLElement>(),
    svg = useRef<SVGSVGElement>(null),
    [held, hold] = useState<Spot | null>(null)
  const frames = view && w > 200 && h > 160 ? layOut(view, w, h) : [],
    spot = (f: Frame, node: string): Spot | null => {
      const n = f.block.nodes.find((one) => one.name === node)
      return n ? [f.x + f.scale.x(n.at[0]), f.y + f.scale.y(n.at[1])] : null
    }
  const at = ([block, node]: readonly [string, string]): Spot | null => {
    const f = frames.find((one) => one.block.name === block)
    return f ? spot(f, node) : null
  }
  const arcs = [...(view?.arcs ?? [])].sort(
    (a, b) =>
      Number(a.name === chosen) - Number(b.name === chosen) ||
      Number(mode?.arcs.includes(a.name)) - Number(mode?.arcs.includes(b.name)),
  )
  const current = calmHero.value?.fields[FRAME.block] ?? 0,
    under =
      calmHero.value && calmHero.value.fields[FRAME.state] > 0
        ? view?.arcs[calmHero.value.fields[FRAME.arc]]?.name
        : undefined
  const steer = (f: Frame) => (e: PointerEvent) => {
    if (f.number !== current) return
    const go = (x: number, y: number) => {
      const to: Spot = [f.scale.ux(x - f.x), f.scale.uy(y - f.y)]
      hold(to)
      tell({ type: 'point', at: [to[0], to[1]], character: 0 })
    }
    const box = svg.current!.getBoundingClientRect()
    go(e.clientX - box.left, e.clientY - box.top)
    startDrag(e, svg.current!, { move: go, end: () => hold(null) })
  }
  const n = view?.blocks.length ?? 0,
    nodes = frames.flatMap((f) =>
      f.block.nodes
        .filter((one) => !one.transition)
        .map((one): Spot => [f.x + f.scale.x(one.at[0]), f.y + f.scale.y(one.at[1])]),
    )
  const shapes = arcs.flatMap((a) => shapeOf(a, at(a.source), at(a.target), w, nodes))
  return (
    <section class="hybrid-map" ref={attach} aria-label="Blocks and arcs">
      {frames.length ? (
        <svg ref={svg} viewBox={`0 0 ${w} ${h}`} width={w} height={h}>
          <defs>
            <marker
              id="arrow"
              viewBox="0 0 10 10"
              refX="8"
              refY="5"
              markerWidth="7"
              markerHeight="7"
              orient="auto-start-reverse"
              markerUnits="userSpaceOnUse"
            >
              <path class="arrow-head--dim" d="M0 0 10 5 0 10z" />
            </marker>
            <marker
              id="arrow-on"
              viewBox="0 0 10 10"
              refX="7"
              refY="5"
              markerWidth="11"
              markerHeight="11"
              orient="auto-start-reverse"
              markerUnits="userSpaceOnUse"
            >
              <path class="arrow-head" d="M0 0 10 5 0 10z" />
            </marker>
            <pattern id="buffer-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect class="hatch-back" width="6" height="6" />
              <line class="hatch-stroke" x1="0" x2="0" y1="0" y2="6" />
            </pattern>
          </defs>
          {frames.map((f) => (
            <BlockFrame
              key={f.block.name}
              frame={f}
              view={view!}
              mode={mode}
              arcs={shapes}
              current={f.number === current}
              onDown={steer(f)}
            />
          ))}
          {shapes.map((one) => (
            <ArcLine
              key={one.arc.name}
              shape={one}
              on={Boolean(mode?.arcs.includes(one.arc.name))}
              chosen={one.arc.name === chosen}
              taken={one.arc.name === under}
              onChoose={() => onChoose(one.arc.name)}
            />
          ))}
          <LivePoint frames={frames} current={current} held={held} />
        </svg>
      ) : null}
      <div class="stage-tools hybrid-head">
        <div class="hybrid-title">
          <strong>Blocks</strong>
          <span class="muted num">
            {many(n, 'block')} · {many(view?.arcs.length ?? 0, 'arc')} · {many(view?.modes.length ?? 0, 'mode')}
          </span>
        </div>
        <div class="legend">
          <span>
            <i class="swatch--hatch" />
            buffer triangle
          </span>
          <span>
            <i class="swatch--zone" />
            trigger zone
          </span>
          <span>
            <i class="swatch swatch--accent" />
            open arc
          </span>
          <span>
            <i class="swatch--dash" />
            closed
          </span>
          <Button icon="plus" onClick={onAdd}>
            Add a change
          </Button>
        </div>
      </div>
    </section>
  )
}

/** One row of blocks while they are wide enough, then more rows. */
function layOut(view: NetworkView, w: number, h: number): Frame[] {
  const n = view.blocks.length,
    columns = Math.min(n, Math.max(1, Math.floor((w - 2 * MARGIN + GAP) / 320))),
    rows = Math.ceil(n / columns)
  const bw = (w - 2 * MARGIN - GAP * (columns - 1)) / columns,
    bh = (h - TOP - 20 - GAP * (rows - 1)) / rows
  return view.blocks.map((block, number) => {
    const column = number % columns,
      row = Math.floor(number / columns),
      right = column > 0
    const pad = { l: right ? 28 : 44, r: right ? 44 : 28, t: 64, b: 40 }
    return {
      block,
      number,
      x: MARGIN + column * (bw + GAP),
      y: TOP + row * (bh + GAP),
      w: bw,
      h: bh,
      pad,
      scale: mapScale(rangeOf(block.nodes), bw, bh, pad, true),
    }
  })
}

function BlockFrame({
  frame: f,
  view,
  mode,
  arcs,
  current,
  onDown,
}: {
  frame: Frame
  view: NetworkView
  mode: ModeRow | undefined
  arcs: readonly ArcShape[]
  current: boolean
  onDown: (e: PointerEvent) => void
}) {
  const spots = f.block.nodes.map((n): Spot => [f.x + f.scale.x(n.at[0]), f.y + f.scale.y(n.at[1])])
  const open = new Set((mode?.triangles[f.block.name] ?? f.block.triangles).map(key)),
    buffers = new Set(f.block.buffers.map(key))
  const yt = ticks(f.scale.low[1], f.scale.high[1], 5),
    xt = ticks(f.scale.low[0], f.scale.high[0], 4),
    right = f.pad.r > f.pad.l
  const ys = f.block.nodes.map((n) => n.at[1]),
    high = Math.min(...ys) + 0.75 * (Math.max(...ys) - Math.min(...ys))
  const labels = new Labels(spots, f.x + (right ? 12 : 44), f.x + f.w - (right ? 40 : 12))
  for (const { x, y, half } of arcs) labels.keepFree(x, y, half, 11) // names of arcs are drawn over those of nodes
  const used = (name: string) =>
    view.arcs.some(
      (a) =>
        mode?.arcs.includes(a.name) &&
        ((a.source[0] === f.block.name && a.source[1] === name) ||
          (a.target[0] === f.block.name && a.target[1] === name)),
    )
  const plain = f.block.nodes.filter((n) => !n.transition).length,
    zones = view.arcs.filter((a) => mode?.arcs.includes(a.name) && a.source[0] === f.block.name)
  return (
    <g class={current ? 'block block--current' : 'block'} data-block={f.block.name}>
      <rect class="block-frame" x={f.x} y={f.y} width={f.w} height={f.h} rx={10} onPointerDown={onDown} />
      <text class="block-name" x={f.x + 16} y={f.y + 28}>
        {f.block.name || 'network'}
      </text>
      <text class="tick-label" x={f.x + f.w - 16} y={f.y + 27} text-anchor="end">
        {plain} nodes
      </text>
      <g class="axis" pointer-events="none">
        {yt.map((v) => (
          <g key={v}>
            <line x1={f.x + f.pad.l} x2={f.x + f.w - f.pad.r} y1={f.y + f.scale.y(v)} y2={f.y + f.scale.y(v)} />
            <text x={right ? f.x + f.w - 14 : f.x + 36} y={f.y + f.scale.y(v) + 4} text-anchor="end">
              {fmt(v, Math.max(1, decimals(yt)))}
            </text>
          </g>
        ))}
        {xt.map((v, i) => (
          <text key={v} x={f.x + f.scale.x(v)} y={f.y + f.h - 14} text-anchor="middle">
            {v ? signed(v, decimals(xt)) : '0'}
            {i === 0 ? ` ${view.units[0]}` : ''}
          </text>
        ))}
      </g>
      <g pointer-events="none">
        {f.block.triangles
          .filter((t) => !buffers.has(key(t)))
          .map((t) => (
            <path
              key={key(t)}
              class={`triangle${open.has(key(t)) ? '' : ' triangle--closed'}`}
              d={path(t.map((i) => spots[i])) + (t.length > 2 ? 'Z' : '')}
            />
          ))}
        {f.block.buffers
          .filter((t) => open.has(key(t)))
          .map((t) => (
            <path
              key={key(t)}
              class="triangle triangle--buffer"
              fill="url(#buffer-hatch)"
              d={path(t.map((i) => spots[i])) + 'Z'}
            />
          ))}
        {zones.flatMap((a) => {
          const k = f.block.nodes.findIndex((n) => n.name === a.source[1]),
            share = 1 - a.zone
          return k < 0
            ? []
            : (mode?.triangles[f.block.name] ?? f.block.triangles)
                .filter((t) => t.includes(k))
                .map((t) => (
                  <path
                    key={`${a.name} ${key(t)}`}
                    class="zone"
                    d={
                      path(
                        t.map((i): Spot => [
                          spots[k][0] + share * (spots[i][0] - spots[k][0]),
                          spots[k][1] + share * (spots[i][1] - spots[k][1]),
                        ]),
                      ) + 'Z'
                    }
                  />
                ))
        })}
        {f.block.nodes.map((n, i) => {
          const [x, y] = spots[i]
          if (n.transition)
            return (
              <g key={n.name} class={`node node--transition${used(n.name) ? '' : ' node--idle'}`}>
                <rect x={x - 5} y={y - 5} width={10} height={10} rx={2} />
              </g>
            )
          const label = labels.put(short(n.name), x, y, n.at[1] > high, false, null)
          return (
            <g key={n.name} class="node">
              <circle class="node-dot" cx={x} cy={y} r={5} />
              {label ? (
                <text class="node-name" x={label.x} y={label.y} text-anchor="middle">
                  {short(n.name)}
                </text>
              ) : null}
            </g>
          )
        })}
      </g>
    </g>
  )
}

interface ArcShape {
  arc: ArcRow
  d: string
  x: number
  y: number
  half: number
}

/** An arc as a curve, and where its name stands; one that stays in its node is a loop. */
function shapeOf(arc: ArcRow, p: Spot | null, q: Spot | null, w: number, nodes: readonly Spot[]): ArcShape[] {
  if (!p || !q) return []
  const stays = Math.hypot(p[0] - q[0], p[1] - q[1]) < 2
  let d: string, x: number, y: number
  if (stays) {
    const r = 19,
      room = (way: number) =>
        Math.min(...nodes.map((s) => Math.hypot(0.4 * (s[0] - p[0]), s[1] - p[1] - way * (2 * r + 22)))),
      dn = room(1) >= room(-1) ? 1 : -1 // where the name covers no node
    d = `M${p[0] + 7} ${p[1] + 6 * dn}A${r} ${r} 0 1 ${dn > 0 ? 1 : 0} ${p[0] - 8} ${p[1] + 9 * dn}`
    x = p[0]
    y = p[1] + (2 * r + 22) * dn
  } else {
    // Ways back and forth bend to opposite sides, so that they do not lie on each other.
    const dx = q[0] - p[0],
      lift = dx >= 0 ? 0.9 : -0.9,
      away = Math.min(90, 0.35 * Math.hypot(dx, q[1] - p[1]) + 20),
      c1: Spot = [p[0] + dx * 0.3, (p[1] + q[1]) / 2 + lift * away],
      c2: Spot = [p[0] + dx * 0.7, c1[1]]
    d = `M${p[0]} ${p[1]}C${c1} ${c2} ${q[0] + (dx > 0 ? -6 : 6)} ${q[1]}`
    x = 0.125 * (p[0] + q[0]) + 0.375 * (c1[0] + c2[0])
    y = 0.125 * (p[1] + q[1]) + 0.75 * c1[1]
  }
  const half = (`${arc.name}  ${fmt(arc.seconds)} s`.length * 5.8 + 14) / 2
  return [{ arc, d, x: Math.max(half + 4, Math.min(w - half - 4, x)), y, half }]
}

function ArcLine({
  shape: { arc, d, x, y, half },
  on,
  chosen,
  taken,
  onChoose,
}: {
  shape: ArcShape
  on: boolean
  chosen: boolean
  taken: boolean
  onChoose: () => void
}) {
  return (
    <g
      class="arc-pick"
      role="button"
      tabindex={0}
      aria-pressed={chosen}
      aria-label={`Arc ${arc.name}, ${on ? 'open' : 'closed'}`}
      data-arc={arc.name}
      onClick={onChoose}
      onKeyDown={(e) => {
        if (e.key === 'Enter' || e.key === ' ') {
          e.preventDefault()
          e.stopPropagation()
          onChoose()
        }
      }}
    >
      <path class="arc-hit" d={d} />
      <path
        class={`arc${on ? '' : ' arc--dim'}${chosen && on ? ' arc--selected' : ''}${taken ? ' arc--taken' : ''}`}
        marker-end={`url(#arrow${on ? '-on' : ''})`}
        d={d}
      />
      <g class={`arc-label${on ? '' : ' arc-label--dim'}`}>
        <rect
          key={chosen ? 'chosen' : 'plain'}
          class={chosen ? 'arc-box--chosen' : ''}
          x={x - half}
          y={y - 11}
          width={2 * half}
          height={22}
          rx={11}
        />
        <text x={x} y={y + 4} text-anchor="middle">
          {arc.name} <tspan class="arc-key">{fmt(arc.seconds)} s</tspan>
        </text>
      </g>
    </g>
  )
}

function LivePoint({ frames, current, held }: { frames: readonly Frame[]; current: number; held: Spot | null }) {
  const f = frames[current],
    fields = hero.value?.fields
  if (!f || !fields) return null
  const goal: Spot = held ?? [fields[FRAME.goal_x], fields[FRAME.goal_y]]
  return (
    <g
      class="blend-point"
      pointer-events="none"
      transform={`translate(${f.x + f.scale.x(goal[0])} ${f.y + f.scale.y(goal[1])})`}
    >
      <circle class="blend-point-halo" r={14} />
      <circle class="blend-point-dot" r={7} />
    </g>
  )
}
