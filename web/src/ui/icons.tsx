/** Line icons on a grid of 16. */

const ICONS = {
  play: 'M5 3.5v9l7.5-4.5z',
  pause: 'M4.5 3.5h2.5v9H4.5zM9 3.5h2.5v9H9z',
  back: 'M11.5 3.5v9L5 8zM4 3.5v9',
  step: 'M4.5 3.5v9L11 8zM12 3.5v9',
  undo: 'M6 4 3 7l3 3M3.5 7h6a3 3 0 0 1 0 6H7',
  redo: 'M10 4l3 3-3 3M12.5 7h-6a3 3 0 0 0 0 6H9',
  code: 'M6 4.5 2.5 8 6 11.5M10 4.5 13.5 8 10 11.5',
  plus: 'M8 3.5v9M3.5 8h9',
  flip: 'M3 13 13 3M3 6V3h3M13 10v3h-3',
  layers: 'M8 2.5 14 6 8 9.5 2 6zM2.5 9 8 12.5 13.5 9',
  body: 'M8 2.2a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4M4 7.2h8M8 6v4M8 10l-2.5 4M8 10l2.5 4',
  feet: 'M5 3.2c1.5 0 2 2 1.5 4.6L6 11c-.3 1.6-2.4 1.4-2.5-.2L3.200 6.500C3 4.500 3.700 3.200 5 3.200M11.500 5c1.300.2 1.700 1.600 1.400 3.400L12.500 12c-.2 1.600-2.300 1.600-2.500 0',
  trail: 'M2.500 12.500c4 0 2-8 6-8 2.500 0 2 4 5 3.500',
  ghost: 'M5.500 5.500h7v7h-7zM3.500 10.500v-7h7',
  camera: 'M2.500 5h7.500v6H2.500zM10 7.200l3.500-2v5.600l-3.500-2',
  path: 'M3 13c0-5 10-3 10-10M2 13h2M12 3h2',
  bones:
    'M8 4.500v4M8 8.500l-3.500 4M8 8.500l3.500 4M4.500 6h7M8 3.200a.9.9 0 1 1 0 .01M4.200 13a.7.7 0 1 1 0 .01M11.800 13a.7.7 0 1 1 0 .01',
  file: 'M4 2.500h5l3 3v8H4zM9 2.500v3h3',
  folder: 'M2 4.500h4l1.500 1.500H14v6.500H2z',
  check: 'M3.500 8.500l3 3 6-7',
  warn: 'M8 2.500 14.500 13.500h-13zM8 6.500v3.500M8 11.600v.6',
  stop: 'M5.500 2.500h5l3 3v5l-3 3h-5l-3-3v-5zM8 5v4M8 10.600v.6',
  close: 'M4 4l8 8M12 4l-8 8',
  more: 'M3.500 8h.1M8 8h.1M12.500 8h.1',
  down: 'M4 6.500 8 10.500l4-4',
  right: 'M6.500 4l4 4-4 4',
  export: 'M8 10V2.500M5 5.500l3-3 3 3M3 9.500v4h10v-4',
  sun: 'M8 5.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600M8 1.500v1.500M8 13v1.500M1.500 8H3M13 8h1.500M3.400 3.400l1 1M11.600 11.600l1 1M3.400 12.600l1-1M11.600 4.400l1-1',
  drop: 'M8 2.500v7M5 6.500l3 3 3-3M2.500 11v2.500h11V11',
  key: 'M2.500 4h11v8h-11zM5 9.500h6',
  mirror: 'M8 2v12M5.500 5 2.500 8l3 3M10.500 5l3 3-3 3',
  search: 'M7 2.800a4.200 4.200 0 1 1 0 8.400 4.200 4.200 0 0 1 0-8.400M10.200 10.200l3.300 3.300',
  lock: 'M4.500 7.500h7v5.500h-7zM6 7.500V5.500a2 2 0 0 1 4 0v2',
  target: 'M8 4a4 4 0 1 1 0 8 4 4 0 0 1 0-8M8 1.500v3M8 11.500v3M1.500 8h3M11.500 8h3',
  spark: 'M1.500 8h3l2-5 3 10 2-5h3',
  moon: 'M12.8 9.6A5.2 5.2 0 0 1 6.400 3.200a5.200 5.200 0 1 0 6.400 6.400',
  help: 'M6 6a2 2 0 1 1 2.600 1.900c-.5.2-.6.6-.6 1.300M8 11.500v.1M8 1.800a6.200 6.200 0 1 1 0 12.400A6.200 6.200 0 0 1 8 1.800',
  record: 'M8 4.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7',
  copy: 'M5.500 5.500h7v7h-7zM3.500 10.500v-7h7',
  trash: 'M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.6 9h5.800l.6-9M6.800 7v4M9.200 7v4',
  save: 'M3 3h8l2 2v8H3zM5.500 3v3.500h4.500V3M5.500 13V9.500h5V13',
  photo: 'M2 4.500h3l1-1.500h4l1 1.500h3v8H2zM8 6.500a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400',
  pencil: 'M3 13l.6-2.600L10.500 3.500l2 2L5.600 12.400zM9 5l2 2',
  person:
    'M8 2.200a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400M3.500 13.500c0-3 2-4.700 4.500-4.700s4.500 1.700 4.500 4.700',
  compare: 'M2.500 3.500h4.500v9H2.500zM9 3.500h4.500v9H9z',
  triangle: 'M8 3 13.500 12.500h-11z',
  stopbox: 'M4 4h8v8H4z',
  home: 'M2.500 7.500 8 3l5.500 4.500M4 6.500v6.500h8V6.500',
  film: 'M2.500 3.500h11v9h-11zM5 3.500v9M11 3.500v9M2.500 6.500H5M2.500 9.500H5M11 6.500h2.500M11 9.500h2.500',
} as const

export type IconName = keyof typeof ICONS

const SOLID: readonly string[] = ['play', 'pause', 'stopbox', 'record']

export function Icon({ name, label }: { name: IconName; label?: string }) {
  return (
    <svg
      class={`icon${SOLID.includes(name) ? ' icon--solid' : ''}`}
      viewBox="0 0 16 16"
      width="16"
      height="16"
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    >
      <path d={ICONS[name]} />
    </svg>
  )
}

export function Logo() {
  return (
    <svg
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d="M2 16.500 10 3l8 13.500z" />
      <circle cx="10.800" cy="12" r="2.200" fill="currentColor" stroke="none" />
    </svg>
  )
}
