/** Two motions and their half-way blend at eight phases, and how well they agree by offset. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { act, network, people, project } from '../../app/store'
import type { ClipDetails, SyncStrip } from '../../messages'
import type { Skeleton } from '../../stage/figure'
import { Select, useSize } from '../../ui/controls'
import { Figure } from '../../ui/figure'
import { fmt, int16, path, short, signed } from '../../ui/format'
import { useAsk } from '../ask'
import { startDrag } from '../drag'

const wrap = (degrees: number) => ((((degrees + 180) % 360) + 360) % 360) - 180

export function SyncPanel({ clip }: { clip: ClipDetails }) {
  const [partner, setPartner] = useState(''),
    [tried, setTried] = useState<number | null>(null)
  const view = network.value,
    block = view?.blocks.find((b) => b.nodes.some((n) => n.name === clip.node)),
    own = block?.nodes.find((n) => n.name === clip.node)
  const others = useMemo(
    () =>
      block && own
        ? block.nodes
            .filter((n) => n.name !== own.name && !n.transition)
            .sort((a, b) => distance(a.at, own.at) - distance(b.at, own.at))
        : [],
    [block, own],
  )
  const other = others.find((n) => n.name === partner) ?? others[0]
  useEffect(() => {
    setTried(null)
  }, [clip.name, other?.name])
  const offset = own?.offset ?? 0
  const ask =
    own && other && block
      ? {
          type: 'ask_sync' as const,
          first: other.name,
          second: own.name,
          degrees: tried === null ? 0 : tried - offset,
          block: block.name,
        }
      : null
  const { data, failed } = useAsk(ask, 'sync', project.value?.revision ?? 0)
  const skeleton = view ? people.get(view.body)?.skeleton : undefined
  const keep = (degrees: number | null) => {
    if (!own || !block) return
    void act({ type: 'set_offset', node: own.name, degrees: degrees ?? 0, block: block.name }).then(() =>
      setTried(null),
    )
  }
  const now = tried ?? offset,
    left = project.value?.clips.find((c) => c.name === clip.name)?.message ?? ''
  return (
    <section class="panel" aria-label="In step">
      <div class="panel-head">
        <h2 class="panel-title">In step, 50/50 blend</h2>
        {other && own ? (
          <>
            <span class="sync-pick">
              <Select
                value={other.name}
                label="Compared with"
                options={others.map((n) => [n.name, n.name] as const)}
                onChange={setPartner}
              />
            </span>
            <span class="muted">and {own.name}</span>
          </>
        ) : null}
        <span class="grow" />
        {data && own ? (
          Math.abs(now) < 0.05 ? (
            <span class="chip chip--accent num">automatic{frames(data)}</span>
          ) : (
            <>
              <span class="chip num">by hand {signed(now)}°</span>
              <button type="button" class="link" onClick={() => keep(null)}>
                Automatic
              </button>
            </>
          )
        ) : null}
      </div>
      {data && skeleton && own && other ? (
        <Strip data={data} skeleton={skeleton} now={now} onTry={setTried} onKeep={keep} />
      ) : (
        <div class="clip-canvas clip-quiet muted">
          <p>
            {failed ||
              (own
                ? others.length
                  ? 'Comparing the motions …'
                  : 'Drop another clip to synchronise this one with.'
                : `This clip is not a node of the network, so there is nothing to synchronise it with. ${clip.message || left}`)}
          </p>
        </div>
      )}
    </section>
  )
}

const distance = (a: readonly number[], b: readonly number[]) => Math.hypot((a[0] - b[0]) / 100, a[1] - b[1])
const frames = (data: SyncStrip) => {
  const f = (data.best / 360) * data.frames[1]
  return Math.abs(f) < 0.1 ? '' : ` · ${fmt(f, 1)} frames from the best`
}

function Strip({
  data,
  skeleton,
  now,
  onTry,
  onKeep,
}: {
  data: SyncStrip
  skeleton: Skeleton
  now: number
  onTry: (degrees: number | null) => void
  onKeep: (degrees: number) => void
}) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    svg = useRef<SVGSVGElement>(null)
  const poses = useMemo(() => ({ a: int16(data.a), b: int16(data.b), half: int16(data.half) }), [data])
  const slim = w < 640,
    n = Math.min(slim ? 4 : 8, data.phases),
    every = Math.max(1, Math.floor(data.phases / n)),
    x0 = slim ? 84 : 128,
    chart = Math.min(300, w * (slim ? 0.34 : 0.3)),
    fx1 = w - chart - 56,
    rh = (h - 28) / 3,
    gap = (fx1 - x0 - 32) / (n - 0.4)
  const gx0 = w - chart - 8,
    gx1 = w - 24,
    gy0 = 22,
    gy1 = h - 32,
    count = data.agreement.length
  const X = (degrees: number) => gx0 + ((degrees + 180) / 360) * (gx1 - gx0),
    Y = (v: number) => gy1 - ((v + 1) / 2) * (gy1 - gy0)
  // The curve is given from the present offset on; the picture counts from the automatic choice.
  const at = (i: number) => wrap(data.offset + (360 * i) / count)
  const curve = Array.from({ length: count }, (_, i) => [X(at(i)), Y(data.agreement[i])] as const).sort(
    (p, q) => p[0] - q[0],
  )
  const level = (degrees: number) => {
    const u = (((((degrees - data.offset) % 360) + 360) % 360) / 360) * count,
      i = Math.floor(u) % count
    return data.agreement[i] + (u - Math.floor(u)) * (data.agreement[(i + 1) % count] - data.agreement[i])
  }
  const best = wrap(data.offset + data.best),
    hx = X(wrap(now))
  const drag = (e: PointerEvent) => {
    let degrees = now
    startDrag(e, svg.current!, {
      move: (x, _, event) => {
        degrees = Math.max(-180, Math.min(180, ((x - gx0) / (gx1 - gx0)) * 360 - 180))
        if (!event.altKey && Math.abs(degrees) < 2) degrees = 0
        onTry(degrees)
      },
      end: (kept) => {
        if (kept) onKeep(degrees)
        else onTry(null)
      },
    })
  }
  const key = (e: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key]
    if (by) {
      e.preventDefault()
      e.stopPropagation()
      onKeep(wrap(now + by * (e.shiftKey ? 0.1 : 1)))
    }
    if (e.key === 'Home') {
      e.preventDefault()
      onKeep(0)
    }
  }
  const rows = [
    ['a', short(data.first), `${fmt(data.seconds[0], 3)} s`],
    ['b', short(data.second), `${fmt(data.seconds[1], 3)} s`],
    ['half', 'Blend', '50 / 50'],
  ] as const
  return (
    <div class="clip-canvas" ref={attach}>
      {w > 200 && h > 60 ? (
        <svg
          ref={svg}
          viewBox={`0 0 ${w} ${h}`}
          width={w}
          height={h}
          aria-label="Poses of both and of their blend, by phase"
        >
          {rows.map(([id, name, note], r) => {
            const y = 4 + r * rh,
              half = id === 'half'
            return (
              <g key={id}>
                {half ? <rect class="sync-half" x={8} y={y} width={Math.max(0, fx1 - 2)} height={rh} rx={6} /> : null}
                <text x={16} y={y + rh / 2} class={`candidate-label${half ? ' candidate-label--chosen' : ''}`}>
                  {name}
                </text>
                <text x={16} y={y + rh / 2 + 15} class="lane-label">
                  {note}
                </text>
                {Array.from({ length: n }, (_, i) => (
                  <Figure
                    key={i}
                    skeleton={skeleton}
                    points={poses[id]}
                    row={i * every}
                    x={x0 + 24 + i * gap}
                    y={y + rh - 8}
                    scale={(rh - 14) / 1.76}
                    turn={1.35}
                    width={1.4}
                  />
                ))}
              </g>
            )
          })}
          {Array.from({ length: n }, (_, i) => (
            <text key={i} class="tick-label" text-anchor="middle" x={x0 + 24 + i * gap} y={h - 8}>
              {Math.round((360 * i) / n)}°
            </text>
          ))}
          <text class="tick-label" x={gx0} y={12}>
            {slim ? 'agreement' : 'agreement by offset'}
          </text>
          <line class="tick" x1={gx0} x2={gx1} y1={Y(0)} y2={Y(0)} />
          <line class="tick" x1={gx0} x2={gx1} y1={gy1} y2={gy1} />
          {(slim ? [-180, 0, 180] : [-180, -90, 0, 90, 180]).map((d) => (
            <text
              key={d}
              class="tick-label"
              x={X(d)}
              y={h - 10}
              text-anchor={d === -180 ? 'start' : d === 180 ? 'end' : 'middle'}
            >
              {d ? `${signed(d, 0)}°` : '0'}
            </text>
          ))}
          <path class="curve curve--ink" d={path(curve)} />
          <g class="sync-auto">
            <line x1={X(best)} x2={X(best)} y1={Y(level(best))} y2={gy1} />
            <circle cx={X(best)} cy={Y(level(best))} r={4} />
            <text
              class="tick-label"
              x={Math.min(gx1, X(best) + 8)}
              y={gy0 - 6}
              text-anchor={best > 90 ? 'end' : 'start'}
            >
              automatic
            </text>
          </g>
          <g
            class="sync-handle"
            tabindex={0}
            role="slider"
            aria-label="Synchronisation offset"
            aria-valuemin={-180}
            aria-valuemax={180}
            aria-valuenow={Math.round(now)}
            aria-valuetext={`${signed(now)} degrees`}
            onPointerDown={drag}
            onDblClick={() => onKeep(0)}
            onKeyDown={key}
          >
            <line class="range-edge" x1={hx} x2={hx} y1={gy0} y2={gy1} />
            <rect class="range-hit" x={hx - 12} y={gy0} width={24} height={gy1 - gy0 + 12} />
            <circle class="sync-dot" cx={hx} cy={Y(level(now))} r={5} />
            <rect class="range-grip" x={hx - 9} y={gy1 - 9} width={18} height={18} rx={5} />
            <path class="grip-lines" d={`M${hx - 3} ${gy1 - 3}v6M${hx} ${gy1 - 3}v6M${hx + 3} ${gy1 - 3}v6`} />
            <text
              class="candidate-label candidate-label--chosen"
              x={hx + (now < -100 ? 14 : -12)}
              y={gy0 + (gy1 - gy0) * 0.62}
              text-anchor={now < -100 ? 'start' : 'end'}
            >
              {signed(now)}°
            </text>
          </g>
        </svg>
      ) : null}
    </div>
  )
}
