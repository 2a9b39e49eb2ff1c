/** Keys: which layer handles which, and the list that `?` shows. Keys of a project win over those of the view. */

import { signal } from '@preact/signals'

export interface Key {
  /** As `KeyboardEvent.key` has it, lower case, with `ctrl+` and `shift+` before it. */
  keys: readonly string[]
  group: string
  does: string
  /** How the list writes the keys, where that differs. */
  as?: string
  run: (event: KeyboardEvent) => void
  /** Also while a field is written in. */
  always?: boolean
}

const layers: Key[][] = []
/** Counts changes of the layers, so that the list is up to date. */
export const bound = signal(0)

/** Handle these keys until the returned function is called; later layers win over earlier ones. */
export function bindKeys(keys: readonly Key[]): () => void {
  const mine = [...keys]
  layers.push(mine)
  bound.value++
  return () => {
    const i = layers.indexOf(mine)
    if (i >= 0) layers.splice(i, 1)
    bound.value++
  }
}

/** Keys that are handled; one that a later layer has taken over is left out. */
export const allKeys = (): Key[] =>
  layers.flatMap((layer, i) => {
    const later = new Set(layers.slice(i + 1).flatMap((others) => others.flatMap((one) => one.keys)))
    return layer.filter((one) => !one.keys.every((name) => later.has(name)))
  })

export function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key.toLowerCase()
  const command = event.ctrlKey || event.metaKey
  return `${command ? 'ctrl+' : ''}${event.shiftKey && (command || event.key.length > 1) ? 'shift+' : ''}${key === ' ' ? 'space' : key}`
}

const writes = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && !/^(range|checkbox|radio|button)$/.test(target.type)))

export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey) return
    const name = nameOf(event),
      target = event.target
    if (
      name === 'space' &&
      target instanceof HTMLElement &&
      target.closest('button, a, [role="switch"], [role="radio"], summary')
    )
      return
    for (let i = layers.length - 1; i >= 0; i--) {
      const hit = layers[i].find((k) => k.keys.includes(name) && (k.always || !writes(target)))
      if (!hit) continue
      hit.run(event)
      event.preventDefault()
      return
    }
  })
}
