/** Edits: what is done to a clip before its cycle is cut, one on top of the other, each to be changed or taken off again. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Panel } from '../app/panels'
import { act, calmHero, compared, hello, network, project, showBeside, tell } from '../app/store'
import { FRAME, type EditKind, type EditRow } from '../messages'
import { LiveStage } from '../stage/live'
import { Button, CodeLine, Note, Section } from '../ui/controls'
import { fmt, signed } from '../ui/format'
import { Icon } from '../ui/icons'
import { chosenClip } from './clips'
import { ClipList } from './clips/list'
import { ConsoleBox } from './edits/console'
import { ParameterField, defaultsOf, type Value } from './edits/parameters'
import './panels.css'

function Edits() {
  const clips = project.value?.clips ?? [],
    name = chosenClip.value,
    row = clips.find((c) => c.name === name)
  useEffect(() => {
    if (!row && clips.length) chosenClip.value = clips[0].name
  })
  const node = network.value?.blocks.flatMap((b) => b.nodes).find((n) => n.clip === name || n.name === row?.node),
    comparing = compared.value.node !== '' && compared.value.node === node?.name
  const compare = (on: boolean) => {
    void showBeside(on && node ? node.name : '', '')
    if (on && node) tell({ type: 'point', at: node.at, character: 0 })
  }
  const f = calmHero.value?.fields
  return (
    <main class="workspace--clips workspace--edits">
      <ClipList
        clips={clips}
        refused={[]}
        chosen={name}
        onChoose={(one) => {
          chosenClip.value = one
        }}
      />
      <div class={`edits-centre${hello.value?.commands.length ? '' : ' edits-centre--alone'}`}>
        <LiveStage label="The character">
          <div class="stage-tools">
            <span class="chip">
              {row ? row.name : 'the network'}
              {comparing
                ? compared.value.kind === 'capture'
                  ? ', its capture beside it'
                  : ', its closed cycle beside it'
                : ''}
            </span>
          </div>
          {node ? (
            <div class="stage-tools stage-tools--end">
              <div class="toolbar">
                <button type="button" class="tool" onClick={() => tell({ type: 'point', at: node.at, character: 0 })}>
                  <Icon name="target" />
                  Go to its node
                </button>
                <button type="button" class="tool" aria-pressed={comparing} onClick={() => compare(!comparing)}>
                  <Icon name="ghost" />
                  Beside its capture
                </button>
              </div>
            </div>
          ) : null}
          {f ? (
            <div class="readouts" role="group" aria-label="Live">
              <Readout label="Speed" value={fmt(f[FRAME.speed])} unit="m/s" />
              <Readout label="Turn" value={signed(f[FRAME.turn])} unit="°/s" />
              <Readout label="Foot slip, worst" value={fmt(f[FRAME.slip])} unit="mm" />
            </div>
          ) : null}
        </LiveStage>
        {hello.value?.commands.length ? <ConsoleBox /> : null}
      </div>
      <aside class="panel divider-v" aria-label="Edits">
        <div class="panel-head">
          <h2 class="panel-title">Edits</h2>
          <span class="muted">{row?.name ?? ''}</span>
        </div>
        {row ? (
          <Stack key={row.name} clip={row.name} />
        ) : (
          <div class="section section--first">
            <p class="muted">Edits belong to clips. Drop captures, or open a folder, and choose one on the left.</p>
          </div>
        )}
      </aside>
    </main>
  )
}

const Readout = ({ label, value, unit }: { label: string; value: string; unit: string }) => (
  <div class="readout">
    <div class="readout-label">{label}</div>
    <div class="readout-value num">
      {value}
      <small>{unit}</small>
    </div>
  </div>
)

const titleOf = (kind: EditKind) => kind.title[0].toUpperCase() + kind.title.slice(1)
/** An edit that takes another motion begins with the first other clip there is. */
function startOf(kind: EditKind, clip: string): { [name: string]: Value } {
  const other = (project.value?.clips ?? []).find((c) => c.name !== clip && c.state === 'ready')?.path ?? ''
  return {
    ...defaultsOf(kind),
    ...Object.fromEntries(kind.parameters.filter((p) => p.kind === 'clip' && p.required).map((p) => [p.name, other])),
  }
}

/** Words that were left empty are left out: the edit has a default of its own. */
const given = (values: { [name: string]: Value }) =>
  Object.fromEntries(Object.entries(values).filter(([, v]) => v !== ''))

function Stack({ clip }: { clip: string }) {
  const kinds = hello.value?.edits ?? [],
    rows = (project.value?.edits ?? []).filter((e) => e.clip === clip).sort((a, b) => a.index - b.index),
    [filter, setFilter] = useState('')
  const words = filter.trim().toLowerCase(),
    fits = kinds.filter((k) => !words || `${k.title} ${k.about}`.toLowerCase().includes(words))
  const [draft, setDraft] = useState<{ kind: EditKind; values: { [name: string]: Value } } | null>(null)
  // Most edits begin with what they have; one that a hand has to say something for is filled in first.
  const add = async (kind: EditKind, values = defaultsOf(kind)) => {
    const done = await act({ type: 'add_edit', clip, name: kind.name, parameters: given(values) })
    setDraft(done || !kind.parameters.length ? null : { kind, values })
  }
  return (
    <>
      <div class="panel-body">
        <datalist id="clips-of-project">
          {(project.value?.clips ?? []).map((c) => (
            <option key={c.path} value={c.path}>
              {c.name}
            </option>
          ))}
        </datalist>
        <Section title="In this order" end={`${rows.length}`}>
          {rows.length ? (
            <ol class="edit-stack">
              {rows.map((row) => (
                <EditCard key={`${row.index} ${row.name}`} row={row} kind={kinds.find((k) => k.name === row.name)} />
              ))}
            </ol>
          ) : (
            <p class="muted">No edits: the clip is as captured.</p>
          )}
        </Section>
        {draft ? (
          <Section title={`New: ${titleOf(draft.kind)}`}>
            <div class="edit-card edit-card--new">
              {draft.kind.parameters.map((p) => (
                <ParameterField
                  key={p.name}
                  parameter={p}
                  value={draft.values[p.name] ?? p.default}
                  onChange={(v) => setDraft({ ...draft, values: { ...draft.values, [p.name]: v } })}
                />
              ))}
              <div class="button-row">
                <Button class="grow" onClick={() => setDraft(null)}>
                  Cancel
                </Button>
                <Button
                  class="grow"
                  kind="primary"
                  disabled={draft.kind.parameters.some((p) => p.required && (draft.values[p.name] ?? '') === '')}
                  onClick={() => add(draft.kind, draft.values)}
                >
                  Apply
                </Button>
              </div>
            </div>
          </Section>
        ) : null}
        <Section title="Add an edit" end={`${kinds.length}`}>
          <label class="field field--search edit-filter">
            <Icon name="search" />
            <input
              placeholder="Filter"
              aria-label="Filter edits"
              value={filter}
              onInput={(e) => setFilter(e.currentTarget.value)}
            />
          </label>
          <div class="edit-kinds">
            {fits.map((k) => (
              <button
                key={k.name}
                type="button"
                class="edit-kind"
                data-edit={k.name}
                onClick={() =>
                  k.parameters.some((p) => p.required) ? setDraft({ kind: k, values: startOf(k, clip) }) : void add(k)
                }
              >
                <Icon name="plus" />
                <span>
                  <strong>{titleOf(k)}</strong>
                  <small>{k.about}</small>
                </span>
              </button>
            ))}
          </div>
          {kinds.length ? null : <p class="muted">This server offers no edits.</p>}
        </Section>
      </div>
      <div class="panel-foot">
        <CodeLine
          text={
            (project.value?.python ?? '').split('\n').find((l) => /edit/.test(l)) ??
            `mo.edit(clip, [${rows
              .filter((r) => kinds.some((k) => k.name === r.name)) // a stranger's project may name anything
              .map((r) => `mo.Edit("${r.name}")`)
              .join(', ')}])`
          }
        />
      </div>
    </>
  )
}

/** One edit with its parameters: sliders follow the hand at once, and one drag is one step of undo. */
function EditCard({ row, kind }: { row: EditRow; kind: EditKind | undefined }) {
  const [draft, setDraft] = useState<{ [name: string]: Value }>(row.parameters),
    drag = useRef(0),
    timer = useRef(0),
    latest = useRef(row.parameters)
  latest.current = row.parameters
  useEffect(() => {
    if (!drag.current) setDraft(row.parameters)
  }, [JSON.stringify(row.parameters)])
  useEffect(() => () => clearTimeout(timer.current), [])
  // What a hand does without a pause is one drag, whether by pointer or keys; meanwhile older answers do not pull it back.
  const change = (name: string, value: Value) => {
    const next = { ...draft, [name]: value }
    setDraft(next)
    if (!drag.current) drag.current = (Date.now() % 1e6) + 1
    clearTimeout(timer.current)
    timer.current = window.setTimeout(async () => {
      await act({ type: 'change_edit', clip: row.clip, index: row.index, parameters: given(next), drag: drag.current })
      timer.current = window.setTimeout(() => {
        drag.current = 0
        setDraft(latest.current)
      }, 600)
    }, 150)
  }
  return (
    <li class="edit-card" data-index={row.index}>
      <div class="edit-card-head">
        <strong>{kind ? titleOf(kind) : row.name}</strong>
        <Button
          kind="quiet"
          size="sm"
          icon="close"
          aria-label={`Take ${kind?.title ?? row.name} off`}
          title="Take off"
          onClick={() => act({ type: 'remove_edit', clip: row.clip, index: row.index })}
        />
      </div>
      {kind ? (
        kind.parameters.map((p) => (
          <ParameterField
            key={p.name}
            parameter={p}
            value={draft[p.name] ?? p.default}
            onChange={(v) => change(p.name, v)}
          />
        ))
      ) : (
        <Note warn>Unknown edit.</Note>
      )}
      {kind && !kind.parameters.length ? <p class="muted">{kind.about}</p> : null}
    </li>
  )
}

export const panel: Panel = { id: 'edits', title: 'Edits', order: 50, View: Edits }
