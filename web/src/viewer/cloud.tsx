/** The network of a crowd from above: its motions, and the blending point of every character. */
import { useEffect, useRef } from 'preact/hooks'
import { mapScale, rangeOf, type Pad } from '../network/geometry'
import { useSize } from '../ui/controls'
import type { Plan } from './content'

const PAD: Pad = { l: 16, r: 16, t: 16, b: 28 }

export function Cloud({ plan, points }: { plan: Plan; points: readonly (readonly [number, number])[] }) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const own = canvas.current
    if (!own || w <= 0 || h <= 0) return
    const ratio = Math.min(devicePixelRatio || 1, 2),
      g = own.getContext('2d')!,
      style = getComputedStyle(own),
      colour = (name: string) => style.getPropertyValue(name)
    own.width = w * ratio
    own.height = h * ratio
    g.setTransform(ratio, 0, 0, ratio, 0, 0)
    g.clearRect(0, 0, w, h)
    const scale = mapScale(rangeOf(plan.at.map(([x, y], i) => ({ name: plan.nodes[i], at: [x, y] }))), w, h, PAD, true),
      at = ([x, y]: readonly number[]): [number, number] => [scale.x(x), scale.y(y)]
    g.strokeStyle = colour('--line-strong')
    for (const row of plan.triangles) {
      g.beginPath()
      for (const i of row) g.lineTo(...at(plan.at[i]))
      g.closePath()
      g.stroke()
    }
    g.fillStyle = colour('--ink-3')
    for (const place of plan.at) {
      g.beginPath()
      g.arc(...at(place), 3.5, 0, 7)
      g.fill()
    }
    g.fillStyle = colour('--accent')
    g.globalAlpha = 0.55
    for (const point of points) {
      const [x, y] = at(point)
      g.fillRect(x - 1.5, y - 1.5, 3, 3)
    }
    g.globalAlpha = 1
    g.fillStyle = colour('--ink-3')
    g.font = `11px ${style.fontFamily}`
    g.textAlign = 'end'
    g.fillText('turn, °/s', w - PAD.r, h - 8)
    g.fillText(plan.name, w - PAD.r, 12)
    g.textAlign = 'start'
    g.fillText('speed, m/s', PAD.l, 12)
  })
  return (
    <div class="network-canvas" ref={attach}>
      <canvas
        ref={canvas}
        class="crowd-cloud"
        role="img"
        aria-label={`Blending points of ${points.length} characters among ${plan.nodes.length} motions`}
      />
    </div>
  )
}
