/** Hybrid: blocks joined by captured changes, which of them are open, and what is played when. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import { chooseFiles } from '../app/drop'
import { bindKeys, type Key } from '../app/keys'
import type { Panel } from '../app/panels'
import { act, calmHero, network, people, project } from '../app/store'
import { FRAME, type ArcDetails, type ModeRow, type NetworkView } from '../messages'
import { LiveStage } from '../stage/live'
import { Button, CodeLine, Dialog, Note, Row, Section, Slider } from '../ui/controls'
import { Figure } from '../ui/figure'
import { counted, fmt, int16 } from '../ui/format'
import { Icon } from '../ui/icons'
import { useAsk } from './ask'
import { BlocksMap } from './hybrid/blocks'
import { SeamOverlay } from './hybrid/seam'
import { StatesStrip } from './hybrid/states'
import './panels.css'

const chosenArc = signal('')
const STATE = ['network', 'waiting', 'change'] as const

function Hybrid() {
  const view = network.value,
    fields = calmHero.value?.fields,
    [adding, add] = useState(false),
    [seams, showSeams] = useState(false)
  const mode = view?.modes[fields?.[FRAME.mode] ?? -1] ?? view?.modes[0],
    arcs = view?.arcs ?? []
  const chosen =
    arcs.find((a) => a.name === chosenArc.value) ?? arcs.find((a) => mode?.arcs.includes(a.name)) ?? arcs[0]
  useEffect(() => bindKeys(view ? keysOf(view) : []), [view])
  const details = useAsk(chosen ? { type: 'ask_arc', arc: chosen.name } : null, 'arc', view?.revision ?? 0)
  const arc = details.data?.name === chosen?.name ? details.data : null,
    keyNames = view ? modeKeys(view) : []
  const block = view?.blocks[fields?.[FRAME.block] ?? 0],
    state = STATE[fields?.[FRAME.state] ?? 0],
    under = arcs[fields?.[FRAME.arc] ?? -1]
  const now =
    state === 'change' && under
      ? `${under.name}, ${Math.round(100 * (fields?.[FRAME.progress] ?? 0))} %`
      : state === 'waiting' && under
        ? `${block?.name ?? ''} · ready for ${under.name}`
        : block?.name || 'one block'
  return (
    <main class="workspace--hybrid">
      <div class="hybrid-centre">
        <BlocksMap
          view={view}
          mode={mode}
          chosen={chosen?.name ?? ''}
          onChoose={(name) => {
            chosenArc.value = name
          }}
          onAdd={() => add(true)}
        />
        <StatesStrip />
        {seams && arc ? <SeamOverlay key={arc.name} arc={arc} onClose={() => showSeams(false)} /> : null}
      </div>
      <aside class="panel divider-v" aria-label="Modes and changes">
        <LiveStage class="pip" view={{ distance: 5.8, pitch: 0.25, shiftX: 0 }} label="The character">
          <span class={`pip-label chip${state === 'network' ? '' : ' chip--accent'}`}>{now}</span>
        </LiveStage>
        <div class="panel-body">
          <Section title="Operating mode" end="keys">
            <div class="mode-list" role="radiogroup" aria-label="Operating mode">
              {(view?.modes ?? []).map((m, i) => (
                <Mode key={m.name} mode={m} letter={keyNames[i]} on={m === mode} />
              ))}
              {view?.modes.length ? null : (
                <p class="muted">One mode: all triangles are open. Adding a change adds modes.</p>
              )}
            </div>
          </Section>
          {chosen ? (
            <ArcSection
              key={chosen.name}
              arc={arc}
              name={chosen.name}
              seconds={chosen.seconds}
              failed={details.failed}
              open={Boolean(mode?.arcs.includes(chosen.name))}
              arcKey={chosen.key}
            />
          ) : (
            <Section title="Changes">
              <p class="muted">
                None yet. A change is captured: it begins in one motion and ends in another, such as a walk that becomes
                a run. It is found in a clip and connects the two blocks.
              </p>
              <div class="button-row">
                <Button kind="primary" class="grow" icon="plus" onClick={() => add(true)}>
                  Add a change
                </Button>
              </div>
            </Section>
          )}
        </div>
        {chosen ? (
          <div class="panel-foot panel-foot--stack">
            <div class="button-row button-row--tight">
              <Button
                kind="primary"
                class="grow"
                onClick={() => act({ type: 'trigger', arc: chosen.name, times: 1, character: 0 })}
              >
                Trigger{chosen.key ? <span class="kbd kbd--on">{chosen.key.toUpperCase()}</span> : null}
              </Button>
              <Button
                aria-pressed={seams}
                class={seams ? 'button--on' : ''}
                disabled={!arc}
                title="Overlay the two poses at each join"
                onClick={() => showSeams(!seams)}
              >
                Show seam
              </Button>
            </div>
            {arc ? <CodeLine text={arc.python} /> : null}
          </div>
        ) : null}
      </aside>
      {adding ? <AddChange onClose={() => add(false)} /> : null}
    </main>
  )
}

/** Keys of modes: their own, else the first number that no mode or arc has for itself. */
function modeKeys(view: NetworkView): string[] {
  const taken = new Set([...view.modes, ...view.arcs].map((one) => one.key.toLowerCase()).filter(Boolean)),
    free = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].filter((n) => !taken.has(n))
  return view.modes.map((m) => m.key.toLowerCase() || (free.shift() ?? ''))
}

function keysOf(view: NetworkView): Key[] {
  const group = 'Hybrid network',
    own = modeKeys(view),
    known = new Set([...own, ...view.arcs.map((a) => a.key.toLowerCase())])
  const mode = (i: number, keys: string[]): Key => ({
    keys,
    group,
    does: `mode ${view.modes[i].name}`,
    run: () => void act({ type: 'mode', mode: view.modes[i].name, character: 0 }),
  })
  return [
    ...own.flatMap((key, i) => (key ? [mode(i, [key])] : [])),
    ...view.arcs
      .filter((a) => a.key)
      .map((a): Key => ({
        keys: [a.key.toLowerCase()],
        group,
        does: `take ${a.name}`,
        run: () => void act({ type: 'trigger', arc: a.name, times: 1, character: 0 }),
      })),
    ...view.modes.slice(0, 9).flatMap((_, i) => (known.has(String(i + 1)) ? [] : [mode(i, [String(i + 1)])])), // the third mode on 3 as well, where 3 means nothing else
  ]
}

function Mode({ mode, letter, on }: { mode: ModeRow; letter: string; on: boolean }) {
  const n = mode.arcs.length
  return (
    <button
      type="button"
      class="mode-row"
      role="radio"
      aria-checked={on}
      onClick={() => act({ type: 'mode', mode: mode.name, character: 0 })}
    >
      <span class="kbd">{letter.toUpperCase()}</span>
      <span>{mode.name}</span>
      <span class="muted">{n ? `${counted(n, 'arc')} open` : 'plain triangles'}</span>
    </button>
  )
}

function ArcSection({
  arc,
  name,
  seconds,
  failed,
  open,
  arcKey,
}: {
  arc: ArcDetails | null
  name: string
  seconds: number
  failed: string
  open: boolean
  arcKey: string
}) {
  const [zone, setZone] = useState<number | null>(null)
  useEffect(() => {
    setZone(null)
  }, [arc])
  const held = zone ?? arc?.zone ?? 0.95
  return (
    <Section
      title="Arc"
      end={<span class={`chip${open ? ' chip--accent' : ''}`}>{open ? 'open' : 'closed in this mode'}</span>}
    >
      <div class="arc-head">
        <strong>{name}</strong>
        <span class="num">{fmt(seconds)} s</span>
      </div>
      {arc ? (
        <>
          <ArcPoses arc={arc} />
          <dl class="rows">
            <Row label="Played">
              frames {arc.leave}–{arc.arrive} of {arc.frames}
            </Row>
            <Row label="Mirror image">{arc.mirrored ? 'whichever starts sooner' : 'as captured'}</Row>
            {arcKey ? (
              <Row label="Key">
                <span class="kbd">{arcKey.toUpperCase()}</span>
              </Row>
            ) : null}
            <Row label="Seam leaving">{seam(arc, 'leave')}</Row>
            <Row label="Seam arriving">{seam(arc, 'arrive')}</Row>
          </dl>
          <div class="zone-row">
            <span class="row-label">Trigger zone</span>
            <Slider
              value={held}
              min={0.5}
              max={1}
              step={0.01}
              label="Trigger zone, weight"
              text={`weight from ${fmt(held)}`}
              onInput={setZone}
              onDone={(v) => act({ type: 'set_zone', arc: name, zone: v })}
            />
            <span class="num">{fmt(held)}</span>
          </div>
          {arc.decisions.map(([step, text]) => (
            <div class="decision" key={step + text}>
              <dt>{step}</dt>
              <dd>{text}</dd>
            </div>
          ))}
          <button type="button" class="link" onClick={() => act({ type: 'remove_arc', arc: name })}>
            Remove this change
          </button>
        </>
      ) : failed ? (
        <Note warn>{failed}</Note>
      ) : (
        <p class="muted">Loading …</p>
      )}
    </Section>
  )
}

/** How far poses, and how fast their turns, are apart where a change is joined. */
function seam(arc: ArcDetails, end: 'leave' | 'arrive'): string {
  const { [`${end}_pose_cm`]: pose, [`${end}_velocity`]: velocity } = arc.seams
  return pose === undefined ? '–' : `${fmt(10 * pose, 1)} mm · ${fmt(velocity, 1)} °/s`
}

function ArcPoses({ arc }: { arc: ArcDetails }) {
  const view = network.value,
    skeleton = view ? people.get(view.body)?.skeleton : undefined
  if (!skeleton) return null
  const points = int16(arc.poses),
    n = arc.pose_frames.length,
    shown = Math.min(11, n),
    W = 304
  return (
    <svg class="arc-poses" viewBox={`0 0 ${W} 72`} aria-hidden="true">
      {Array.from({ length: shown }, (_, k) => {
        const i = Math.round((k * (n - 1)) / Math.max(1, shown - 1)),
          frame = arc.pose_frames[i]
        return (
          <Figure
            key={k}
            skeleton={skeleton}
            points={points}
            row={i}
            x={18 + (k * (W - 36)) / Math.max(1, shown - 1)}
            y={66}
            scale={34}
            turn={1.57}
            width={1.3}
            dim={frame < arc.leave || frame > arc.arrive}
          />
        )
      })}
    </svg>
  )
}

function AddChange({ onClose }: { onClose: () => void }) {
  const clips = (project.value?.clips ?? []).filter((c) => c.state === 'ready'),
    blocks = network.value?.blocks.map((b) => b.name).filter(Boolean) ?? []
  const [clip, pick] = useState(''),
    [key, setKey] = useState(''),
    [from, setFrom] = useState(''),
    [to, setTo] = useState(''),
    [busy, work] = useState(false)
  const find = async () => {
    work(true)
    const done = await act({ type: 'find_transition', clip, source: from, target: to, name: '', key: key.trim() })
    work(false)
    if (done) onClose()
  }
  const ends = (value: string, set: (v: string) => void, label: string) => (
    <label class="form-row">
      <span class="form-label">{label}</span>
      <span class="field field--select">
        <select class="select" value={value} onChange={(e) => set(e.currentTarget.value)}>
          <option value="">automatic</option>
          {blocks.map((b) => (
            <option key={b} value={b}>
              {b}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </span>
    </label>
  )
  return (
    <Dialog
      title="Add a change"
      onClose={onClose}
      foot={
        <>
          <Button
            size="lg"
            icon="folder"
            onClick={() => {
              chooseFiles()
              onClose()
            }}
          >
            Add a clip
          </Button>
          <span class="grow" />
          <Button size="lg" onClick={onClose}>
            Cancel
          </Button>
          <Button size="lg" kind="primary" disabled={!clip || busy} onClick={find}>
            {busy ? 'Looking …' : 'Find and join'}
          </Button>
        </>
      }
    >
      <div class="add-change">
        <p class="muted">
          A clip that begins in one motion and ends in another, such as a walk that becomes a run. Its start, its end
          and the blocks it connects are found automatically.
        </p>
        <div class="add-clips" role="listbox" aria-label="Clips">
          {clips.map((c) => (
            <div
              key={c.name}
              class="clip-row"
              role="option"
              tabindex={0}
              aria-selected={c.name === clip}
              onClick={() => pick(c.name)}
              onKeyDown={(e) => {
                if (e.key === 'Enter') pick(c.name)
              }}
            >
              <Icon name="file" />
              <span>{c.name}</span>
              <span class="num muted">{fmt(c.seconds, 1)} s</span>
            </div>
          ))}
          {clips.length ? null : (
            <p class="muted">There are no clips yet. Drop one anywhere, then open this dialog again.</p>
          )}
        </div>
        {blocks.length > 1 ? (
          <>
            {ends(from, setFrom, 'Begins in')}
            {ends(to, setTo, 'Ends in')}
          </>
        ) : null}
        <label class="form-row">
          <span class="form-label">Key</span>
          <span class="field">
            <input
              class="select"
              maxLength={1}
              value={key}
              placeholder="none"
              onInput={(e) => setKey(e.currentTarget.value)}
            />
          </span>
        </label>
      </div>
    </Dialog>
  )
}

export const panel: Panel = { id: 'hybrid', title: 'Hybrid', order: 30, View: Hybrid }
