/** The list of clips, with those that were refused, and the place to drop more. */
import { chooseFiles } from '../../app/drop'
import { act } from '../../app/store'
import type { ClipRow, Refusal } from '../../messages'
import { fileAndAnimation, fmt } from '../../ui/format'
import { Icon, type IconName } from '../../ui/icons'

/** An animation's own name before that of its file, which may be cut off. */
function ClipName({ name }: { name: string }) {
  const [file, animation] = fileAndAnimation(name)
  return animation ? (
    <>
      {animation} <span class="muted">{file}</span>
    </>
  ) : (
    <>{name}</>
  )
}

const file = (path: string) => path.split('/').at(-1) ?? path

export function ClipList({
  clips,
  refused,
  chosen,
  onChoose,
}: {
  clips: readonly ClipRow[]
  refused: readonly Refusal[]
  chosen: string
  onChoose: (name: string) => void
}) {
  const seconds = clips.reduce((sum, c) => sum + c.seconds, 0)
  const rows = [
    ...clips.map((c) => ({
      id: c.name,
      name: c.name,
      end: c.state === 'ready' ? `${fmt(c.seconds, 1)} s` : c.state === 'refused' ? 'refused' : c.state,
      bad: c.state === 'refused',
      doubt: c.doubts > 0 || Boolean(c.message),
      hand: c.corrected || c.mirrored,
      edits: c.edits,
    })),
    ...refused
      .filter((r) => !clips.some((c) => c.path === r.path))
      .map((r) => ({
        id: r.path,
        name: file(r.path).replace(/\.\w+$/, ''),
        end: 'refused',
        bad: true,
        doubt: false,
        hand: false,
        edits: 0,
      })),
  ].sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }))
  const move = (by: number) => {
    const i = rows.findIndex((r) => r.id === chosen),
      next = rows[Math.max(0, Math.min(rows.length - 1, i + by))]
    if (next) onChoose(next.id)
  }
  const icon = (r: (typeof rows)[number]): IconName => (r.bad ? 'stop' : r.doubt ? 'warn' : 'file')
  return (
    <aside class="panel clip-list" aria-label="Clips">
      <div class="panel-head">
        <h2 class="panel-title">Clips</h2>
        <span class="muted num grow">
          {clips.length > 0 && `${clips.filter((c) => c.state !== 'refused').length} · ${fmt(seconds, 0)} s`}
        </span>
      </div>
      <div
        class="panel-body"
        role="listbox"
        aria-label="Clips"
        tabindex={0}
        onKeyDown={(e) => {
          const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 }[e.key]
          if (by) {
            e.preventDefault()
            e.stopPropagation()
            move(by)
          }
          if (e.key === 'Delete' && clips.some((c) => c.name === chosen)) {
            e.preventDefault()
            void act({ type: 'remove_clip', clip: chosen })
          }
        }}
      >
        {rows.map((r) => (
          <div
            key={r.id}
            class={`clip-row${r.bad ? ' clip-row--refused' : ''}`}
            role="option"
            aria-selected={r.id === chosen}
            onClick={() => onChoose(r.id)}
          >
            <Icon name={icon(r)} />
            <span title={r.id}>
              <ClipName name={r.name} />
              {r.hand || r.edits ? (
                <i class="crumb-dot clip-hand" title={r.edits ? `${r.edits} edits` : 'changed by hand'} />
              ) : null}
            </span>
            <span class="num muted">{r.end}</span>
          </div>
        ))}
      </div>
      <button type="button" class="drop-zone" onClick={() => chooseFiles()}>
        <Icon name="drop" />
        <strong>Drop clips or a folder</strong>
        <p>BVH, AMC with ASF, FBX, glTF, C3D and others</p>
      </button>
    </aside>
  )
}
