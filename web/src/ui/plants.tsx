/** Foot plants of a cycle as bars; a plant that goes over the end comes in again at the start. */

export type PhasePlants = Readonly<Record<string, readonly (readonly [number, number])[]>>

const ROWS = [
  ['left', 'heel', 0],
  ['left', 'toe', 1],
  ['right', 'heel', 0],
  ['right', 'toe', 1],
] as const

/** Bars between x and x + w; `lanes` are the tops of the left and right pair of rows, `bar` the height of one. */
export function PlantBars({
  plants,
  x,
  w,
  lanes,
  bar,
  gap = 2,
}: {
  plants: PhasePlants
  x: number
  w: number
  lanes: { left: number; right: number }
  bar: number
  gap?: number
}) {
  return (
    <g class="plants">
      {ROWS.flatMap(([side, part, row]) =>
        (plants[`${side}_${part}`] ?? []).flatMap(([begin, length], i) => {
          const end = begin + length,
            parts =
              end > 1
                ? [
                    [begin, 1],
                    [0, end - 1],
                  ]
                : [[begin, end]]
          return parts.map(([a, b], k) => (
            <rect
              key={`${side}${part}${i}${k}`}
              class={`plant plant--${side} plant--${part}`}
              x={(x + a * w).toFixed(1)}
              y={lanes[side] + row * (bar + gap)}
              width={Math.max(0, (b - a) * w).toFixed(1)}
              height={bar}
              rx={2}
            />
          ))
        }),
      )}
    </g>
  )
}
