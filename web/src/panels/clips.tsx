/** Clips: what was read, what was understood of it, which cycle was taken, and how two motions fall in step. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { chooseFiles } from '../app/drop'
import type { Panel } from '../app/panels'
import { act, hello, project, refusals } from '../app/store'
import type { ClipDetails } from '../messages'
import { Button, Select } from '../ui/controls'
import { fmt } from '../ui/format'
import { Icon } from '../ui/icons'
import { useAsk } from './ask'
import { ClipList } from './clips/list'
import { RefusalCard } from './clips/refusal'
import { ClipReport } from './clips/report'
import { SyncPanel } from './clips/sync'
import { ClipTimeline } from './clips/timeline'
import './panels.css'

/** The clip, or the refused file, that is looked at. */
export const chosenClip = signal('')

const CLOSINGS: { [method: string]: string } = {
  symmetric: 'Symmetric closing',
  start: 'Keep the start',
  end: 'Keep the end',
  merge: 'Merge the ends',
  planted: 'Closing with planted feet',
  displacement: 'Displacement',
}

function Clips() {
  const clips = project.value?.clips ?? [],
    refused = refusals.value,
    name = chosenClip.value
  const row = clips.find((c) => c.name === name),
    refusal =
      refused.find((r) => (row ? row.state === 'refused' && r.path === row.path : r.path === name)) ??
      (row?.state === 'refused'
        ? { path: row.path, message: row.message, line: 0, expected: '', got: '', lines: [], remedies: [] }
        : undefined)
  useEffect(() => {
    if (!row && !refusal) chosenClip.value = clips[0]?.name ?? refused[0]?.path ?? ''
  })
  // A clip that was read but gives no cycle can be looked at, corrected, and marked by hand; one that was not read cannot.
  const legible = row && (row.state === 'ready' || (row.state === 'refused' && !refusal?.line))
  const { data, failed, busy } = useAsk(
    legible ? { type: 'ask_clip', clip: row.name } : null,
    'clip',
    project.value?.revision ?? 0,
  )
  const clip = data && data.name === name ? data : null
  return (
    <main class="workspace--clips">
      <ClipList
        clips={clips}
        refused={refused}
        chosen={name}
        onChoose={(one) => {
          chosenClip.value = one
        }}
      />
      <div class="clip-centre">
        {refusal && !clip && (!legible || failed) ? (
          <RefusalCard
            refusal={refusal}
            clips={clips}
            count={clips.length + refused.filter((r) => !clips.some((c) => c.path === r.path)).length}
            name={row?.name ?? ''}
          />
        ) : clip ? (
          <>
            <Head clip={clip} busy={busy} refused={Boolean(refusal)} />
            <ClipTimeline key={clip.name} clip={clip} />
            <SyncPanel clip={clip} />
          </>
        ) : (
          <Empty waiting={Boolean(row) && !failed} failed={failed || row?.message || ''} name={row?.name ?? ''} />
        )}
      </div>
      <ClipReport clip={clip} />
    </main>
  )
}

function Head({ clip, busy, refused }: { clip: ClipDetails; busy: boolean; refused: boolean }) {
  const methods = hello.value?.closings ?? [clip.method]
  return (
    <div class="clip-head" aria-busy={busy}>
      <h1>{clip.name}</h1>
      <span class="chip num">{clip.frames} frames</span>
      <span class="chip num">{fmt(clip.frame_rate, clip.frame_rate % 1 ? 2 : 0)} Hz</span>
      <span class="chip num">{fmt(clip.seconds)} s</span>
      {clip.message ? <span class="chip chip--warn">no cycle</span> : null}
      <span class="grow" />
      {refused ? <Button onClick={() => act({ type: 'remove_clip', clip: clip.name })}>Leave out</Button> : null}
      <Button
        icon="mirror"
        aria-pressed={clip.mirrored}
        class={clip.mirrored ? 'button--on' : ''}
        title="Exchange left and right"
        onClick={() => act({ type: 'mirror', clip: clip.name, mirrored: !clip.mirrored })}
      >
        {clip.mirrored ? 'Mirrored' : 'Mirror'}
      </Button>
      <span class="clip-closing">
        <Select
          value={clip.method}
          label="How the cycle is closed"
          options={methods.map((m) => [m, CLOSINGS[m] ?? `Closing: ${m}`] as const)}
          onChange={(method) => act({ type: 'choose_closing', clip: clip.name, method })}
        />
      </span>
    </div>
  )
}

function Empty({ waiting, failed, name }: { waiting: boolean; failed: string; name: string }) {
  const actor = project.value?.source !== 'clips'
  return (
    <section class="clip-empty" aria-live="polite">
      {failed ? (
        <>
          <span class="refusal-mark">
            <Icon name="warn" />
          </span>
          <h1>{name ? `${name} cannot be shown` : 'The clip cannot be shown'}</h1>
          <p>{failed}</p>
        </>
      ) : waiting ? (
        <p class="muted">Reading {name} …</p>
      ) : (
        <>
          <span class="hint-mark">
            <Icon name="drop" />
          </span>
          <h1>Drop captures here</h1>
          <p>
            {actor ? 'This project has no clips, only the network on the stage. ' : ''}In every clip you drop a cycle is
            found, synchronised with the others and placed by its speed and turn. All results are shown here and can be
            changed.
          </p>
          <div class="judge-actions">
            <Button kind="primary" size="lg" icon="folder" onClick={() => chooseFiles()}>
              Choose files
            </Button>
            <Button size="lg" onClick={() => chooseFiles(true)}>
              Choose a folder
            </Button>
          </div>
        </>
      )}
    </section>
  )
}

export const panel: Panel = { id: 'clips', title: 'Clips', order: 20, View: Clips }
