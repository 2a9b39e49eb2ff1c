/** The map of distortion over the block, with its scale and its worst spot; a click sends the point there. */
import { useId } from 'preact/hooks'
import { calmHero, tell, theme } from '../../app/store'
import { FRAME, type Block, type Map as MapLayer } from '../../messages'
import { mapScale, rangeOf } from '../../network/geometry'
import { NetworkMap } from '../../network/map'
import { useSize } from '../../ui/controls'
import { fmt } from '../../ui/format'

const PAD = { l: 44, r: 76, t: 10, b: 30 }

export function DistortionChart({ block, layer }: { block: Block; layer: MapLayer }) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    id = useId().replace(/[^a-z0-9]/gi, '')
  const scale = mapScale(rangeOf(block.nodes), w, h, PAD, true),
    fields = calmHero.value?.fields
  const point: [number, number] = fields ? [fields[FRAME.point_x], fields[FRAME.point_y]] : layer.worst
  return (
    <div class="chart-canvas" ref={attach}>
      {w > 120 && h > 60 ? (
        <svg
          viewBox={`0 0 ${w} ${h}`}
          width={w}
          height={h}
          class="distortion-map"
          role="img"
          aria-label={`Distortion over the network, worst ${fmt(layer.most, 3)} ${layer.unit}`}
          onClick={(e) => {
            const box = e.currentTarget.getBoundingClientRect()
            tell({ type: 'point', at: [scale.ux(e.clientX - box.left), scale.uy(e.clientY - box.top)], character: 0 })
          }}
        >
          <defs>
            <linearGradient id={`ramp${id}`} x1="0" x2="0" y1="1" y2="0">
              {[0, 1, 2, 3, 4].map((i) => (
                <stop key={i} offset={i / 4} class={`ramp-${i}`} />
              ))}
            </linearGradient>
          </defs>
          <NetworkMap
            w={w}
            h={h}
            block={block}
            scale={scale}
            pad={PAD}
            triangles={block.triangles}
            weights={[]}
            point={point}
            follows={null}
            units={['°/s', 'm/s']}
            layer={layer}
            compact
            theme={theme.value}
            sided
          />
          <rect x={w - 60} y={10} width={8} height={Math.max(0, h - 40)} rx={4} fill={`url(#ramp${id})`} />
          <text class="tick-label" x={w - 46} y={19}>
            {fmt(layer.most, 2)}
          </text>
          <text class="tick-label" x={w - 46} y={h - 30}>
            0
          </text>
        </svg>
      ) : null}
    </div>
  )
}
