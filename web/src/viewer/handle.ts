/** What scripts and tests may do with a page: `window.mocapella`. */

export interface Handle {
  /** Pause at this many seconds (a motion) or at this share of the cycle (loops). */
  seek?: (at: number) => void
  play?: (on: boolean) => void
  /** Send the blending point somewhere. */
  point?: (x: number, y: number, atOnce?: boolean) => void
  /** World positions of joints, then of end sites, as drawn. */
  joints?: () => number[]
  [more: string]: unknown
}

export function publish(handle: Handle): () => void {
  const place = window as unknown as { mocapella?: Handle }
  place.mocapella = { ...place.mocapella, ...handle }
  return () => {
    delete place.mocapella
  }
}
