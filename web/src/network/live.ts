/** The network as it stands this instant, for the editor, the phone's pad and the inspector. */
import { computed } from '@preact/signals'
import { block, blockNumber, calmHero, held, hero, network, tell, character } from '../app/store'
import { FRAME } from '../messages'
import { mapScale, openTriangles, rangeOf, type Pad, type Scale, type Spot } from './geometry'
import type { Weighted } from './map'

export const sided = computed(() => /turn|left/i.test(network.value?.axes[0] ?? 'turn'))
export const units = computed<readonly [string, string]>(() => network.value?.units ?? ['°/s', 'm/s'])
const mode = computed(() => calmHero.value?.fields[FRAME.mode] ?? -1)
export const open = computed(() => {
  const n = network.value,
    b = block.value
  return n && b ? openTriangles(n, b, mode.value) : []
})
export const range = computed(() => rangeOf(block.value?.nodes ?? []))

const NODES = [FRAME.node_a, FRAME.node_b, FRAME.node_c, FRAME.node_d],
  WEIGHTS = [FRAME.weight_a, FRAME.weight_b, FRAME.weight_c, FRAME.weight_d]

export function weightsOf(fields: Float32Array | undefined): Weighted[] {
  if (!fields) return []
  return NODES.flatMap((at, i) =>
    fields[at] >= 0 && fields[WEIGHTS[i]] > 0 ? [{ node: fields[at], weight: fields[WEIGHTS[i]] }] : [],
  ).filter((x) => x.node < (block.value?.nodes.length ?? 0))
}
/** The same object as long as nothing that can be seen has changed: what rests is not drawn again. */
function steady<T>(of: () => T, text: (value: T) => string): () => T {
  let last: T | undefined,
    words = ''
  return () => {
    const next = of(),
      now = text(next)
    if (last === undefined || now !== words) {
      last = next
      words = now
    }
    return last
  }
}
const shares = (all: readonly Weighted[]) => all.map((x) => `${x.node}:${x.weight.toFixed(3)}`).join()
const spot = (p: Spot | null) => (p ? `${p[0].toFixed(2)} ${p[1].toFixed(4)}` : '')
export const weights = computed(steady(() => weightsOf(hero.value?.fields), shares))
export const calmWeights = computed(steady(() => weightsOf(calmHero.value?.fields), shares))

/** Where the character's own point is, and where the handle is drawn: in the hand, else at its goal. */
export const follows = computed(
  steady((): Spot | null => {
    const f = hero.value?.fields
    return f ? [f[FRAME.point_x], f[FRAME.point_y]] : null
  }, spot),
)
export const handle = computed(
  steady((): Spot => {
    if (held.value) return held.value
    const f = hero.value?.fields
    if (!f) return [0, 0]
    return f[FRAME.inside] ? [f[FRAME.goal_x], f[FRAME.goal_y]] : [f[FRAME.point_x], f[FRAME.point_y]]
  }, spot),
)

/** Whether a captured change is played, in which there is no point. */
export const hidden = computed(() => hero.value?.fields[FRAME.state] === 2)

export const scaleFor = (w: number, h: number, pad: Pad): Scale => mapScale(range.value, w, h, pad, sided.value)

/** Send the point somewhere. Pointers move faster than pictures are drawn: one message a picture is enough. */
let waiting: Spot | null = null
export function sendPoint(at: Spot): void {
  if (waiting === null)
    requestAnimationFrame(() => {
      const p = waiting!
      waiting = null
      tell({ type: 'point', at: [p[0], p[1]], character: character.peek() })
    })
  waiting = at
}

export { blockNumber }
