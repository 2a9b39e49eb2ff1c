/** Workspaces: every module of `panels/` that exports a `panel` has a tab; a new one is a new file. */
import type { ComponentType } from 'preact'

export interface Panel {
  /** The part of the address behind #. */
  id: string
  title: string
  /** Tabs stand in this order. */
  order: number
  View: ComponentType
}

const modules = import.meta.glob<{ panel?: Panel }>('../panels/*.tsx', { eager: true })

export const panels: readonly Panel[] = Object.values(modules)
  .flatMap((m) => (m.panel ? [m.panel] : []))
  .sort((a, b) => a.order - b.order)
