/** Colours of the stage, read from the design tokens, as three numbers from 0 to 1. */

export type Colour = readonly [number, number, number]

export interface Palette {
  dark: boolean
  sky: Colour
  ground: Colour
  grid: Colour
  body: Colour
  left: Colour
  right: Colour
  accent: Colour
  ramp: readonly Colour[]
  shadow: number
}

export function colourOf(text: string): Colour {
  const m = /^#(..)(..)(..)/.exec(text.trim())
  if (!m) return [0.5, 0.5, 0.5]
  return [1, 2, 3].map((i) => parseInt(m[i], 16) / 255) as unknown as Colour
}

export function readPalette(element: Element = document.documentElement): Palette {
  const style = getComputedStyle(element),
    get = (name: string) => colourOf(style.getPropertyValue(name))
  return {
    dark: element.closest('[data-theme="light"]') === null,
    sky: get('--stage-sky'),
    ground: get('--stage-ground'),
    grid: get('--stage-grid'),
    body: get('--stage-body'),
    left: get('--left'),
    right: get('--right'),
    accent: get('--accent'),
    ramp: [0, 1, 2, 3, 4].map((i) => get(`--map-${i}`)),
    shadow: parseFloat(style.getPropertyValue('--stage-shadow')) || 0.4,
  }
}

export const mix = (a: Colour, b: Colour, u: number): Colour => [
  a[0] + (b[0] - a[0]) * u,
  a[1] + (b[1] - a[1]) * u,
  a[2] + (b[2] - a[2]) * u,
]

export function rampAt(palette: Palette, u: number): Colour {
  const s = Math.max(0, Math.min(0.9999, u)) * (palette.ramp.length - 1),
    i = Math.floor(s)
  return mix(palette.ramp[i], palette.ramp[i + 1], s - i)
}
