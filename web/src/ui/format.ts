/** Numbers as the studio writes them: fixed decimals, a real minus sign, a sign where a side is meant. */

export const fmt = (v: number, digits = 2): string =>
  Number.isFinite(v) ? (v < 0 && Number(v.toFixed(digits)) !== 0 ? '−' : '') + Math.abs(v).toFixed(digits) : '–'

export const signed = (v: number, digits = 1): string => {
  if (!Number.isFinite(v)) return '–'
  const zero = Number(v.toFixed(digits)) === 0
  return (zero ? '±' : v > 0 ? '+' : '−') + Math.abs(v).toFixed(digits)
}

/** As Python reads it, without a minus before zero. */
export const plain = (v: number, digits: number): string => (Number(v.toFixed(digits)) || 0).toFixed(digits)

/** A clip's name as its file and its animation, "" where it has only one name: `pack#Walk` is `Walk` of `pack`. */
export const fileAndAnimation = (name: string): [string, string] => {
  const [, file, animation] = /^(.*\S)#(\S.*)$/.exec(name) ?? [name, name, '']
  return [file, animation]
}

/** A node's name as it fits into the map. */
export const short = (name: string): string =>
  (fileAndAnimation(name)[1] || name).replace(/[-_ ](walk|run)(?=[-_ ])/, '').replace(/[-_]/g, ' ')

/** A number and what it counts. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`

export const percent = (v: number): string => `${Math.round(100 * v)} %`

export const bytes = (n: number): string =>
  n < 1000 ? `${n} B` : n < 1e6 ? `${(n / 1e3).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`

export const path = (points: readonly (readonly [number, number])[]): string =>
  points.length ? 'M' + points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L') : ''

/** Even steps for an axis: about `count` of them between two ends, at 1, 2 or 5 times a power of ten. */
export function ticks(low: number, high: number, count = 5): number[] {
  const span = high - low
  if (!(span > 0)) return [low]
  const rough = span / count,
    power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((k) => k * power >= 0.75 * rough) ?? 10)
  const out: number[] = []
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + 1e-9 * span; v += step)
    out.push(Math.abs(v) < step * 1e-9 ? 0 : v)
  return out
}

export const decimals = (values: readonly number[]): number => {
  if (values.length < 2) return 1
  const step = Math.abs(values[1] - values[0])
  return Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9)))
}

const plainBytes = (text: string): Uint8Array<ArrayBuffer> => {
  const raw = atob(text),
    out = new Uint8Array(raw.length)
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i)
  return out
}
/** Arrays travel as base64 of little-endian values. */
export const float32 = (text: string): Float32Array<ArrayBuffer> => new Float32Array(plainBytes(text).buffer)
export const int16 = (text: string): Int16Array<ArrayBuffer> => new Int16Array(plainBytes(text).buffer)
export const uint16 = (text: string): Uint16Array<ArrayBuffer> => new Uint16Array(plainBytes(text).buffer)
export const uint32 = (text: string): Uint32Array<ArrayBuffer> => new Uint32Array(plainBytes(text).buffer)
