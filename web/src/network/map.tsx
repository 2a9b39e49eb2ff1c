/** The network as a picture: axes, triangles, the one in use, nodes with weights, the blending point. */
import { useId, useMemo } from 'preact/hooks'
import type { Block, Map as MapLayer } from '../messages'
import { colourOf } from '../stage/theme'
import { decimals, fmt, path, percent, short, signed, ticks } from '../ui/format'
import { edgesOf, Labels, type Pad, type Scale, type Spot } from './geometry'

export interface Weighted {
  node: number
  weight: number
}
export interface DragNode {
  node: number
  at: Spot
  was: Spot
  snapped: readonly [boolean, boolean]
  sound: boolean
}
export interface MapProps {
  w: number
  h: number
  block: Block
  scale: Scale
  pad: Pad
  triangles: readonly (readonly number[])[]
  weights: readonly Weighted[]
  /** Where the handle is drawn, and where the character's own point has come to. */
  point: Spot
  follows: Spot | null
  /** Whether a captured change is played: then nothing is blended, and no point is shown. */
  hidden?: boolean
  units: readonly [string, string]
  selected?: readonly string[]
  layer?: MapLayer | null
  drag?: DragNode | null
  compact?: boolean
  edges?: readonly { a: number; b: number; inner: boolean }[]
  theme: string
  /** Signed numbers along x: turns have a side. */
  sided: boolean
}

/** A map layer as a small picture that the browser stretches smoothly. */
function layerPicture(layer: MapLayer): string {
  const style = getComputedStyle(document.documentElement),
    stops = [0, 1, 2, 3, 4].map((i) => colourOf(style.getPropertyValue(`--map-${i}`)))
  const { columns, rows, values, most } = layer,
    at = (r: number, c: number) => (r >= 0 && r < rows && c >= 0 && c < columns ? values[r * columns + c] : null)
  const canvas = document.createElement('canvas')
  canvas.width = columns
  canvas.height = rows
  const g = canvas.getContext('2d')!
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) {
      let v = at(r, c)
      for (const [a, b] of [
        [0, -1],
        [0, 1],
        [-1, 0],
        [1, 0],
        [-1, -1],
        [1, 1],
        [-1, 1],
        [1, -1],
        [-2, 0],
        [2, 0],
        [0, 2],
        [0, -2],
      ]) {
        if (v !== null) break
        v = at(r + a, c + b)
      } // colour up to the edge
      if (v === null) continue
      const s = Math.max(0, Math.min(0.9999, v / (most || 1))) * 4,
        i = Math.floor(s)
      const mixed = stops[i].map((x, k) => Math.round(255 * (x + (stops[i + 1][k] - x) * (s - i))))
      g.fillStyle = `rgb(${mixed.join(' ')})`
      g.fillRect(c, rows - 1 - r, 1, 1)
    }
  return canvas.toDataURL()
}

function Layer({ layer, scale, clip, theme }: { layer: MapLayer; scale: Scale; clip: string; theme: string }) {
  const picture = useMemo(() => layerPicture(layer), [layer, theme])
  const dx = (layer.high[0] - layer.low[0]) / Math.max(1, layer.columns - 1) / 2,
    dy = (layer.high[1] - layer.low[1]) / Math.max(1, layer.rows - 1) / 2
  const xa = scale.x(layer.low[0] - dx),
    xb = scale.x(layer.high[0] + dx),
    ya = scale.y(layer.high[1] + dy),
    yb = scale.y(layer.low[1] - dy)
  const flip = xa > xb
  return (
    <g clip-path={`url(#${clip})`} class="map-layer">
      <image
        href={picture}
        x={flip ? -xa : xa}
        y={ya}
        width={Math.abs(xb - xa)}
        height={yb - ya}
        preserveAspectRatio="none"
        {...(flip ? { transform: 'scale(-1 1)' } : {})}
      />
    </g>
  )
}

export function NetworkMap(props: MapProps) {
  const {
    w,
    h,
    block,
    scale: S,
    pad,
    point,
    follows,
    hidden = false,
    units,
    selected = [],
    layer = null,
    drag = null,
    compact = false,
    edges,
    theme,
    sided,
  } = props
  const there = (i: number) => i < block.nodes.length // poses of a network that is gone may still come in
  const triangles = props.triangles.filter((t) => t.every(there)),
    weights = props.weights.filter((x) => there(x.node))
  const id = useId().replace(/[^a-z0-9]/gi, '')
  const inUse = new Set(triangles.flat()),
    seen = (i: number) => !block.nodes[i].transition || inUse.has(i) // ways into changes that are closed would only clutter
  const spots: Spot[] = block.nodes.map((n, i) =>
    drag?.node === i ? [S.x(drag.at[0]), S.y(drag.at[1])] : [S.x(n.at[0]), S.y(n.at[1])],
  )
  const outline = triangles.map((t) => path(t.map((i) => spots[i])) + 'Z').join('')
  const share = new Map(weights.map((x) => [x.node, x.weight]))
  const corners = weights.filter((x) => x.weight > 0.0005).map((x) => x.node)
  const px: Spot = [S.x(point[0]), S.y(point[1])],
    fx: Spot = follows ? [S.x(follows[0]), S.y(follows[1])] : px
  const xt = ticks(S.low[0], S.high[0], compact ? 4 : 6),
    yt = ticks(S.low[1], S.high[1], 6),
    xd = decimals(xt),
    yd = Math.max(1, decimals(yt))
  const tops = block.nodes.map((n) => n.at[1]),
    high = Math.min(...tops) + 0.75 * (Math.max(...tops) - Math.min(...tops))
  const taken = new Labels(
      spots.filter((_, i) => seen(i)),
      pad.l + 2,
      w - 6,
      h - pad.b + 2,
    ),
    names = new Map<number, { x: number; y: number }>()
  if (!compact) {
    taken.keepFree(px[0], px[1], 15)
    const order = block.nodes
      .map((_, i) => i)
      .filter(seen)
      .sort(
        (a, b) =>
          Number(corners.includes(b)) - Number(corners.includes(a)) ||
          Math.abs(block.nodes[b].at[0]) - Math.abs(block.nodes[a].at[0]),
      )
    for (const i of order) {
      const n = block.nodes[i],
        must = corners.includes(i) || selected.includes(n.name)
      const spot = taken.put(
        short(n.name) + (corners.includes(i) ? '  00 %' : ''),
        spots[i][0],
        spots[i][1],
        n.at[1] > high,
        must,
        corners.includes(i) ? px : null,
      )
      if (spot) names.set(i, spot)
    }
  }
  const area = corners.length >= 3 ? path(corners.map((i) => spots[i])) + 'Z' : ''
  return (
    <>
      <defs>
        <clipPath id={`clip${id}`}>
          <path d={outline} />
        </clipPath>
        {corners.map((c, k) => (
          <radialGradient
            key={k}
            id={`inf${id}${k}`}
            gradientUnits="userSpaceOnUse"
            cx={spots[c][0]}
            cy={spots[c][1]}
            r={0.34 * w}
          >
            <stop offset="0" class="influence-0" stop-opacity={(0.5 * (share.get(c) ?? 0) + 0.06).toFixed(2)} />
            <stop offset="1" class="influence-1" stop-opacity="0" />
          </radialGradient>
        ))}
      </defs>
      <g class="axis" aria-hidden="true">
        {xt.map((v) => (
          <g key={v}>
            <line x1={S.x(v)} x2={S.x(v)} y1={pad.t} y2={h - pad.b} />
            <text x={S.x(v)} y={h - pad.b + 16} text-anchor="middle">
              {sided && v !== 0 ? signed(v, xd) : fmt(v, xd)}
            </text>
          </g>
        ))}
        {yt.map((v) => (
          <g key={v}>
            <line x1={pad.l} x2={w - pad.r} y1={S.y(v)} y2={S.y(v)} />
            <text x={pad.l - 8} y={S.y(v) + 4} text-anchor="end">
              {fmt(v, yd)}
            </text>
          </g>
        ))}
      </g>
      <g class="triangles">
        {triangles.map((t, i) => (
          <path
            key={i}
            class={`triangle${t.length < 3 ? ' triangle--thin' : ''}`}
            data-triangle={i}
            d={path(t.map((k) => spots[k])) + (t.length > 2 ? 'Z' : '')}
          />
        ))}
      </g>
      {!compact && (
        <path
          class="outline"
          aria-hidden="true"
          d={edgesOf(triangles)
            .filter((e) => !e.inner)
            .map((e) => path([spots[e.a], spots[e.b]]))
            .join('')}
        />
      )}
      {layer && <Layer layer={layer} scale={S} clip={`clip${id}`} theme={theme} />}
      {layer && (
        <g class="triangles--over" aria-hidden="true">
          {triangles.map((t, i) => (
            <path key={i} d={path(t.map((k) => spots[k])) + 'Z'} />
          ))}
        </g>
      )}
      {!layer &&
        area &&
        corners.map((_, k) => <path key={k} d={area} fill={`url(#inf${id}${k})`} pointer-events="none" />)}
      {area && <path class="triangle--active" d={area} />}
      {edges?.map(
        ({ a, b, inner }) =>
          inner && (
            <line
              key={`${a}-${b}`}
              class="edge-hit"
              data-edge={`${a} ${b}`}
              x1={spots[a][0]}
              y1={spots[a][1]}
              x2={spots[b][0]}
              y2={spots[b][1]}
            />
          ),
      )}
      <g class="spokes" aria-hidden="true">
        {corners.map((c) => (
          <line
            key={c}
            x1={fx[0]}
            y1={fx[1]}
            x2={spots[c][0]}
            y2={spots[c][1]}
            stroke-width={(1 + 5 * (share.get(c) ?? 0)).toFixed(1)}
          />
        ))}
      </g>
      {layer && (
        <g class="worst-spot" aria-hidden="true">
          <circle class="worst worst--back" cx={S.x(layer.worst[0])} cy={S.y(layer.worst[1])} r={9} />
          <circle class="worst" cx={S.x(layer.worst[0])} cy={S.y(layer.worst[1])} r={9} />
        </g>
      )}
      {block.nodes.map((n, i) => {
        if (!seen(i)) return null
        const weight = share.get(i) ?? 0,
          used = weight > 0.005,
          [x, y] = spots[i],
          r = compact ? 6 : 7,
          round = 2 * Math.PI * (r + 3),
          label = names.get(i)
        return (
          <g
            key={n.name}
            class={`node${used ? ' node--active' : ''}${selected.includes(n.name) ? ' node--selected' : ''}${n.transition ? ' node--transition' : ''}`}
            data-node={n.name}
            tabindex={compact ? -1 : 0}
            role="button"
            aria-pressed={selected.includes(n.name)}
            aria-label={`${n.name}${used ? `, weight ${percent(weight)}` : ''}`}
          >
            <circle class="node-hit" cx={x} cy={y} r={16} />
            {selected.includes(n.name) && (
              <rect class="node-halo" x={x - r - 7} y={y - r - 7} width={2 * r + 14} height={2 * r + 14} rx={5} />
            )}
            {used && <circle class="node-ring-back" cx={x} cy={y} r={r + 3} />}
            {used && (
              <circle
                class="node-ring"
                cx={x}
                cy={y}
                r={r + 3}
                stroke-dasharray={`${(round * Math.min(1, weight)).toFixed(1)} ${round.toFixed(1)}`}
                transform={`rotate(-90 ${x} ${y})`}
              />
            )}
            {n.transition && !used ? (
              <rect x={x - 5} y={y - 5} width={10} height={10} rx={2} />
            ) : (
              <circle class="node-dot" cx={x} cy={y} r={used ? r - 1.5 : 4.5} />
            )}
            {label ? (
              <text class="node-name" x={label.x} y={label.y} text-anchor="middle">
                {short(n.name)}
                {used && (
                  <tspan class="node-weight" dx="5">
                    {percent(weight)}
                  </tspan>
                )}
              </text>
            ) : (
              <text
                class={compact ? 'node-weight' : 'node-name node-name--hidden'}
                x={x}
                y={n.at[1] > high ? y - 14 : y + (!compact ? 22 : Math.hypot(x - px[0], y - px[1]) < 24 ? 36 : 27)}
                text-anchor="middle"
              >
                {compact ? (used ? percent(weight) : '') : short(n.name)}
              </text>
            )}
          </g>
        )
      })}
      {drag && <Dragged drag={drag} scale={S} pad={pad} w={w} h={h} units={units} sided={sided} />}
      {follows && !hidden && Math.hypot(fx[0] - px[0], fx[1] - px[1]) > 3 && (
        <circle class="point-follows" cx={fx[0]} cy={fx[1]} r={4} />
      )}
      <g
        class={`blend-point${hidden ? ' blend-point--hidden' : ''}`}
        aria-disabled={hidden}
        transform={`translate(${px[0].toFixed(2)} ${px[1].toFixed(2)})`}
        tabindex={0}
        role="slider"
        aria-label="Blending point"
        aria-valuemin={S.low[1]}
        aria-valuemax={S.high[1]}
        aria-valuenow={Number(point[1].toFixed(2))}
        aria-valuetext={`turn ${fmt(point[0], 1)} degrees a second, speed ${fmt(point[1])} metres a second`}
      >
        <circle class="blend-point-hit" r={22} />
        <circle class="blend-point-halo" r={14} />
        <circle class="blend-point-dot" r={7} />
      </g>
    </>
  )
}

function Dragged({
  drag,
  scale: S,
  pad,
  w,
  h,
  units,
  sided,
}: {
  drag: DragNode
  scale: Scale
  pad: Pad
  w: number
  h: number
  units: readonly [string, string]
  sided: boolean
}) {
  const x = S.x(drag.at[0]),
    y = S.y(drag.at[1]),
    wx = S.x(drag.was[0]),
    wy = S.y(drag.was[1])
  const text = `${sided ? signed(drag.at[0]) : fmt(drag.at[0])} ${units[0]}   ${fmt(drag.at[1])} ${units[1]}`,
    tw = text.length * 5.8 + 12
  const lx = Math.max(4, Math.min(w - tw - 8, x - tw / 2)),
    ly = y + 44 > h ? y - 40 : y + 16
  return (
    <g class={`drag${drag.sound ? '' : ' drag--stopped'}`} pointer-events="none">
      {drag.snapped[0] && <line class="snap-guide" x1={x} x2={x} y1={pad.t} y2={h - pad.b} />}
      {drag.snapped[1] && <line class="snap-guide" x1={pad.l} x2={w - pad.r} y1={y} y2={y} />}
      <line class="drag-way" x1={wx} y1={wy} x2={x} y2={y} />
      <circle class="drag-was" cx={wx} cy={wy} r={5} />
      <circle class="drag-now" cx={x} cy={y} r={8} />
      <rect class="drag-label" x={lx} y={ly} width={tw} height={22} rx={6} />
      <text class="drag-text" x={lx + tw / 2} y={ly + 15} text-anchor="middle">
        {text}
      </text>
    </g>
  )
}
