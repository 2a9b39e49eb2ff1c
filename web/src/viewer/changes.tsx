/** The captured changes that lead out of a block: waited for, then played. */
import { fmt } from '../ui/format'

/** A captured change as it is listed: its name, how long it lasts, and the blocks that it leads from and to. */
export interface Listed {
  name: string
  seconds: number
  source: string
  target: string
}

interface Props<C extends Listed> {
  block: string
  now: { change: C; seconds: number } | null
  wanted: C | null
  changes: readonly C[]
  onTake: (change: C) => void
}

export function Changes<C extends Listed>({ block, now, wanted, changes, onTake }: Props<C>) {
  if (!changes.length) return null
  const open = changes.filter((c) => c.source === block)
  return (
    <div class="section page-changes">
      <h3 class="section-title">
        <span>Captured changes</span>
        <span class="num" role="status">
          {now ? `${Math.round((100 * now.seconds) / now.change.seconds)} %` : wanted ? 'waiting to start' : ''}
        </span>
      </h3>
      {open.map((c, i) => (
        <button
          key={c.name}
          type="button"
          class="page-change"
          aria-pressed={wanted === c || now?.change === c}
          disabled={now !== null}
          onClick={() => onTake(c)}
        >
          <span class="kbd">{i + 1}</span>
          <span>{c.name}</span>
          <span class="num muted">
            {fmt(c.seconds)} s{c.target === c.source ? '' : ` to ${c.target}`}
          </span>
          {now?.change === c ? <i style={{ width: `${(100 * now.seconds) / c.seconds}%` }} /> : null}
        </button>
      ))}
      {open.length ? null : <p class="muted">No changes start in this block.</p>}
    </div>
  )
}
