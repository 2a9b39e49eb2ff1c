/** Which foot points rest at which cycle phase, as it was played: every frame notes its own phase. */

const BINS = 360
const POINTS = ['left_heel', 'left_toe', 'right_heel', 'right_toe'] as const
export type PlantShares = Record<(typeof POINTS)[number], [number, number][]>

export class CyclePlants {
  private readonly bits = new Int8Array(BINS).fill(-1)
  private last = -1

  /** Note a frame: `phase` in radians, `planted` as in pose frames. Phases between two frames take the later's plants. */
  note(phase: number, planted: number): void {
    const bin = Math.floor((phase / (2 * Math.PI)) * BINS) % BINS
    if (this.last >= 0) {
      // a step on within a fifth of the cycle; anything else is a jump
      const steps = (bin - this.last + BINS) % BINS
      if (steps <= BINS / 5) for (let i = 1; i < steps; i++) this.bits[(this.last + i) % BINS] = planted
    }
    this.bits[bin] = planted
    this.last = bin
  }

  clear(): void {
    this.bits.fill(-1)
    this.last = -1
  }

  /** Plants round the cycle: begin and length as shares; phases that were not played yet are taken from `before`. */
  shares(before: Readonly<Record<string, readonly (readonly [number, number])[]>> = {}): PlantShares {
    const out: PlantShares = { left_heel: [], left_toe: [], right_heel: [], right_toe: [] }
    POINTS.forEach((name, k) => {
      const known = before[name] ?? []
      const on = Array.from({ length: BINS }, (_, i) =>
        this.bits[i] >= 0
          ? ((this.bits[i] >> k) & 1) === 1
          : known.some(([a, l]) => ((i + 0.5) / BINS - a + 1) % 1 < l),
      )
      const first = on.findIndex((v, i) => v && !on[(i + BINS - 1) % BINS])
      if (first < 0) {
        if (on[0]) out[name].push([0, 1])
        return
      }
      for (let i = 0; i < BINS; i++) {
        const at = (first + i) % BINS
        if (!on[at]) continue
        const open = out[name].at(-1),
          begin = first + i
        if (open && Math.abs(open[0] + open[1] - begin) < 1e-9) open[1]++
        else out[name].push([begin, 1])
      }
      for (const one of out[name]) {
        one[0] = (one[0] % BINS) / BINS
        one[1] /= BINS
      }
    })
    return out
  }
}
