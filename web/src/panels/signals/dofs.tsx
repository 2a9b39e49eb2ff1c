/** The joints by parts of the body; a joint opens to its single dofs on a double click or with the arrow keys. */
import { useState } from 'preact/hooks'
import type { Skeleton } from '../../stage/figure'
import { Icon } from '../../ui/icons'

interface Group {
  title: string
  side: '' | 'l' | 'r'
  joints: string[]
}

/** Legs, trunk and arms by role; what hangs on a limb belongs to it. */
function groupsOf(skeleton: Skeleton, names: readonly string[]): Group[] {
  const groups: Group[] = [
    { title: 'Left leg', side: 'l', joints: [] },
    { title: 'Right leg', side: 'r', joints: [] },
    { title: 'Trunk', side: '', joints: [] },
    { title: 'Left arm', side: 'l', joints: [] },
    { title: 'Right arm', side: 'r', joints: [] },
  ]
  const r = skeleton.roles,
    heads: [number | undefined, number][] = [
      [r.left_hip, 0],
      [r.right_hip, 1],
      [r.left_clavicle ?? r.left_shoulder, 3],
      [r.right_clavicle ?? r.right_shoulder, 4],
    ]
  for (const name of names) {
    let group = 2
    for (let j = skeleton.names.indexOf(name); j >= 0; j = skeleton.parents[j]) {
      const hit = heads.find(([head]) => head === j)
      if (hit) {
        group = hit[1]
        break
      }
    }
    groups[group].joints.push(name)
  }
  return groups.filter((g) => g.joints.length)
}

export function DofList({
  dofs,
  skeleton,
  chosen,
  onChoose,
}: {
  dofs: readonly string[]
  skeleton: Skeleton | undefined
  chosen: string
  onChoose: (dof: string) => void
}) {
  const [filter, setFilter] = useState(''),
    [open, setOpen] = useState('')
  const joints = skeleton ? skeleton.names.filter((name) => dofs.some((d) => d.startsWith(`${name}.`))) : []
  const root = dofs.filter((d) => !joints.some((j) => d.startsWith(`${j}.`)))
  const fits = (name: string) => name.toLowerCase().includes(filter.trim().toLowerCase()),
    groups = skeleton ? groupsOf(skeleton, joints.filter(fits)) : []
  const own = (joint: string) => dofs.filter((d) => d.startsWith(`${joint}.`)),
    opened = open || chosen.split('.')[0]
  const visible = [
    ...groups.flatMap((g) => g.joints.flatMap((j) => [j, ...(j === open ? own(j) : [])])),
    ...root.filter(fits),
  ]
  const move = (by: number) => {
    const i = visible.indexOf(chosen),
      next = visible[Math.max(0, Math.min(visible.length - 1, i + by))]
    if (next) onChoose(next)
  }
  const row = (id: string, text: string, side: string, deep = false) => (
    <div
      key={id}
      class={`dof-row${deep ? ' dof-row--deep' : ''}`}
      role="option"
      aria-selected={id === chosen}
      data-dof={id}
      onClick={() => onChoose(id)}
      onDblClick={() => {
        if (!deep) setOpen(open === id ? '' : id)
      }}
    >
      <i class={`dof-swatch${side ? ` dof-swatch--${side}` : ''}`} />
      <span>{text}</span>
    </div>
  )
  return (
    <aside class="panel clip-list" aria-label="Degrees of freedom">
      <div class="panel-head">
        <h2 class="panel-title">Degrees of freedom</h2>
        <span class="muted num grow">{dofs.length}</span>
      </div>
      <div class="dof-filter">
        <label class="field field--search">
          <Icon name="search" />
          <input
            placeholder="Filter"
            aria-label="Filter"
            value={filter}
            onInput={(e) => setFilter(e.currentTarget.value)}
          />
        </label>
      </div>
      <div
        class="panel-body"
        role="listbox"
        aria-label="Degrees of freedom"
        tabindex={0}
        title="Double click a joint for its single dofs"
        onKeyDown={(e) => {
          const by = { ArrowDown: 1, ArrowUp: -1 }[e.key]
          if (by) {
            e.preventDefault()
            e.stopPropagation()
            move(by)
          }
          if (e.key === 'ArrowRight' || e.key === 'ArrowLeft') {
            e.preventDefault()
            e.stopPropagation()
            setOpen(e.key === 'ArrowRight' ? opened : '')
          }
        }}
      >
        {groups.map((g) => (
          <div key={g.title}>
            <div class="dof-row dof-row--group">{g.title}</div>
            {g.joints.map((j) => (
              <div key={j}>
                {row(j, j, g.side)}
                {j === open ? own(j).map((d) => row(d, d.slice(j.length + 1), g.side, true)) : null}
              </div>
            ))}
          </div>
        ))}
        {root.some(fits) ? (
          <>
            <div class="dof-row dof-row--group">Root</div>
            {root.filter(fits).map((d) => row(d, d.replace('root.', '').replace(/_/g, ' '), ''))}
          </>
        ) : null}
      </div>
    </aside>
  )
}
