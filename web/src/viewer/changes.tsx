/** The captured changes that lead out of a block: waited for, then played. */
import { fmt } from '../ui/format'
import type { Change } from './change'

interface Props {
  block: string
  now: { change: Change; seconds: number } | null
  wanted: Change | null
  changes: readonly Change[]
  onTake: (change: Change) => void
}

export function Changes({ block, now, wanted, changes, onTake }: Props) {
  if (!changes.length) return null
  const open = changes.filter((c) => c.packed.source === block)
  return (
    <div class="section page-changes"><h3 class="section-title"><span>Captured changes</span><span class="num" role="status">{now ? `${Math.round(100 * now.seconds / now.change.seconds)} %` : wanted ? 'waiting to start' : ''}</span></h3>
      {open.map((c, i) => <button key={c.name} type="button" class="page-change" aria-pressed={wanted === c || now?.change === c} disabled={now !== null} onClick={() => onTake(c)}>
        <span class="kbd">{i + 1}</span><span>{c.name}</span><span class="num muted">{fmt(c.seconds)} s{c.packed.target === c.packed.source ? '' : ` to ${c.packed.target}`}</span>{now?.change === c ? <i style={{ width: `${100 * now.seconds / c.seconds}%` }} /> : null}</button>)}
      {open.length ? null : <p class="muted">No changes start in this block.</p>}</div>
  )
}
