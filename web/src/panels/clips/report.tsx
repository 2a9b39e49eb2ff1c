/** What was understood of a clip when it was read, each line open to correction; the cycle taken, and how it closes. */
import { useEffect, useState } from 'preact/hooks'
import { act, hello, network, project, report as imported } from '../../app/store'
import type { ClipDetails, Closing } from '../../messages'
import { CodeLine, Fact, Note, NumberField, Row, Section, Select } from '../../ui/controls'
import { fmt, path, signed } from '../../ui/format'

type Editing = '' | 'unit' | 'up' | 'facing' | 'roles' | 'rate'

const UPS = ['x', 'y', 'z', '-x', '-y', '-z'].map((axis) => [axis, axis.replace('-', '−')] as const)

export function ClipReport({ clip }: { clip: ClipDetails | null }) {
  return (
    <aside class="panel divider-v" aria-label="Import report">
      <div class="panel-head">
        <h2 class="panel-title">Import report</h2>
      </div>
      <div class="panel-body">{clip ? <Body key={clip.name} clip={clip} /> : <Overview />}</div>
      {clip ? (
        <div class="panel-foot">
          <CodeLine text={clip.python} />
        </div>
      ) : null}
    </aside>
  )
}

const count = (n: number) => `${n} ${n === 1 ? 'file' : 'files'}`

function Overview() {
  const r = imported.value
  if (!r)
    return (
      <div class="section">
        <p class="muted">Unit, up axis, facing and roles of the selected clip are shown here.</p>
      </div>
    )
  return (
    <div class="section">
      <dl class="rows">
        <Row label="Read">{count(r.read.length)}</Row>
        <Row label="Refused">{count(r.refused.length)}</Row>
      </dl>
      {[...r.left_out, ...r.notes].map((text) => (
        <div class="report-note" key={text}>
          <Note warn>{text.replace(/\S*\.mocapella\/uploads\/\w+\//g, '')}</Note>
        </div>
      ))}
    </div>
  )
}

/** A finding as a sentence; jumps begin with names of joints, which stay as the file has them. */
const sentence = ({ code, message }: { code: string; message: string }) =>
  `${code.endsWith('jump') ? message : message[0].toUpperCase() + message.slice(1)}${/[.…]$/.test(message) ? '' : '.'}`

function Body({ clip }: { clip: ClipDetails }) {
  const [editing, edit] = useState<Editing>(''),
    row = project.value?.clips.find((c) => c.name === clip.name),
    placed = network.value?.blocks.some((b) => b.nodes.some((n) => n.name === clip.node))
  useEffect(() => {
    edit('')
  }, [clip.name, clip.unit, clip.up_axis, clip.facing, clip.frame_rate, JSON.stringify(clip.roles)])
  const roles = Object.keys(clip.roles).length,
    total = roles + clip.missing_roles.length
  const change = (id: Editing) => (
    <button type="button" class="link" aria-expanded={editing === id} onClick={() => edit(editing === id ? '' : id)}>
      {editing === id ? 'Leave' : 'Change'}
    </button>
  )
  const doubts = clip.findings.filter((f) => f.doubtful),
    notes = clip.findings.filter((f) => !f.doubtful && !(f.code === 'rest-pose' && clip.rest_frames)),
    outer = notes.some((f) => f.code === 'outer-jump')
  const correct = (one: { unit?: string; up?: string; facing?: number; frame_rate?: number }) => {
    void act({ type: 'correct', clip: clip.name, ...one } as never)
  }
  const units = (hello.value?.units ?? [clip.unit]).map((u) => [u, u] as const)
  return (
    <>
      <div class="section section--first">
        <dl class="report-list">
          <div class="report-row">
            <dt>Unit</dt>
            {editing === 'unit' ? (
              <dd>
                <Select
                  value={clip.unit}
                  label="Unit of the file"
                  options={units}
                  onChange={(unit) => correct({ unit })}
                />
              </dd>
            ) : (
              <dd class="num">
                {clip.unit},{' '}
                {fmt(clip.metres_per_unit, clip.metres_per_unit < 0.1 ? 4 : 2)
                  .replace(/0+$/, '')
                  .replace(/\.$/, '')}{' '}
                m
              </dd>
            )}
            {change('unit')}
          </div>
          <div class="report-row">
            <dt>Up</dt>
            {editing === 'up' ? (
              <dd>
                <Select
                  value={clip.up_axis}
                  label="Axis that points up in the file"
                  options={UPS}
                  onChange={(up) => correct({ up })}
                />
              </dd>
            ) : (
              <dd>{clip.up_axis.replace('-', '−')}</dd>
            )}
            {change('up')}
          </div>
          <div class="report-row">
            <dt>Facing</dt>
            {editing === 'facing' ? (
              <dd>
                <NumberField
                  value={clip.facing}
                  label="Facing, degrees from +z"
                  unit="°"
                  digits={0}
                  onChange={(facing) => correct({ facing })}
                />
              </dd>
            ) : (
              <dd class="num">{fmt(clip.facing, 0)}° from +z</dd>
            )}
            {change('facing')}
          </div>
          <div class="report-row">
            <dt>Rate</dt>
            {editing === 'rate' ? (
              <dd>
                <NumberField
                  value={clip.frame_rate}
                  label="Frames per second"
                  unit="Hz"
                  onChange={(frame_rate) => correct({ frame_rate })}
                />
              </dd>
            ) : (
              <dd class="num">{fmt(clip.frame_rate, clip.frame_rate % 1 ? 2 : 0)} Hz</dd>
            )}
            {change('rate')}
          </div>
          <div class="report-row">
            <dt>Height</dt>
            <dd class="num">{fmt(clip.height)} m</dd>
          </div>
          <div class="report-row">
            <dt>Noise</dt>
            <dd>{clip.noise}</dd>
          </div>
          <div class="report-row">
            <dt>Roles</dt>
            <dd class="num">
              {roles} of {total}
            </dd>
            {change('roles')}
          </div>
          <div class="report-row">
            <dt>Joints</dt>
            <dd class="num">{clip.n_joints}</dd>
          </div>
        </dl>
        {editing === 'roles' ? <Roles clip={clip} /> : null}
        {doubts.map((f) => (
          <div class="report-note" key={f.code + f.message}>
            <Note warn>{f.message}</Note>
          </div>
        ))}
        {doubts.length ? null : (
          <div class="report-note">
            <Note>
              {outer
                ? 'No lost frames or frozen runs; jumps at outer joints only.'
                : 'No lost frames, jumps or frozen runs.'}
            </Note>
          </div>
        )}
        {notes.map((f) => (
          <p class="muted report-note" key={f.code + f.message}>
            {sentence(f)}
          </p>
        ))}
        {clip.rest_frames ? (
          <p class="muted report-note">
            {clip.rest_frames} leading {clip.rest_frames === 1 ? 'frame is' : 'frames are'} a rest pose, and left out.
          </p>
        ) : null}
      </div>
      <Taken clip={clip} />
      {clip.closing.length && clip.taken ? (
        <ClosingChart closings={clip.closing} apart={clip.taken.closing_cm} />
      ) : null}
      <Section title="Placed">
        {placed ? (
          <dl class="rows">
            <Row label="Node">{clip.node}</Row>
            {clip.at ? (
              <Row label="Turn, speed">
                {signed(clip.at[0])} °/s, {fmt(clip.at[1])} m/s
              </Row>
            ) : null}
          </dl>
        ) : (
          <p class="muted">{clip.message || row?.message || 'Not a node of the network.'}</p>
        )}
      </Section>
      {clip.decisions.length ? (
        <Section title="Decisions">
          {clip.decisions.map(([step, text]) => (
            <div class="decision" key={step + text}>
              <dt>{step}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </Section>
      ) : null}
    </>
  )
}

function Taken({ clip }: { clip: ClipDetails }) {
  const t = clip.taken
  if (!t)
    return (
      <Section title="Cycle">
        <Note warn>{clip.message || 'No cycle was found in this clip.'}</Note>
      </Section>
    )
  const automatic = Boolean(clip.automatic && clip.automatic[0] === t.start && clip.automatic[1] === t.frames),
    best = clip.candidates[0]
  const why = clip.decisions.find(([step]) => /cut|cycle|find/.test(step))?.[1]
  const others =
    best && (best.start !== t.start || best.frames !== t.frames)
      ? ` Frames ${best.start}–${best.start + best.frames} close best.`
      : ''
  return (
    <Section
      title="Cycle in use"
      end={automatic ? <span class="chip chip--accent">automatic</span> : <span class="chip">by hand</span>}
    >
      <div class="facts">
        <Fact label="Frames" value={`${t.start}–${t.start + t.frames}`} />
        <Fact label="Speed" value={fmt(t.speed)} unit="m/s" />
        <Fact label="Turn" value={signed(t.turn)} unit="°" />
      </div>
      <p class="muted report-note">
        {why ? why[0].toUpperCase() + why.slice(1).replace(/\.?$/, '.') : ''}
        {others}
      </p>
      <div class="report-turning">
        <Select
          value={clip.turning === null ? 'auto' : clip.turning ? 'turn' : 'straight'}
          label="What to look for"
          options={[
            ['auto', 'Turn or straight: automatic'],
            ['turn', 'Look for the sharpest turn'],
            ['straight', 'Look for a straight part'],
          ]}
          onChange={(v) =>
            act({ type: 'choose_turning', clip: clip.name, turning: v === 'auto' ? null : v === 'turn' })
          }
        />
      </div>
    </Section>
  )
}

function ClosingChart({ closings, apart }: { closings: readonly Closing[]; apart: number }) {
  const [joint, pick] = useState(closings[0].joint),
    c = closings.find((one) => one.joint === joint) ?? closings[0]
  const all = [...c.before, ...c.after],
    low = Math.min(...all),
    high = Math.max(low + 1e-6, Math.max(...all)),
    W = 304
  const X = (i: number, n: number) => 4 + (i / Math.max(1, n)) * (W - 8),
    Y = (v: number) => 82 - ((v - low) / (high - low)) * 76
  const after = [...c.after, c.after[0]]
  return (
    <Section title={`Closing, ${c.joint} flexion`} end={`${fmt(apart, 1)} cm apart`}>
      <svg
        class="closing-chart"
        viewBox={`0 0 ${W} 88`}
        preserveAspectRatio="none"
        aria-label="Before and after the cycle was closed"
      >
        <line class="tick" x1={0} x2={W} y1={87} y2={87} />
        <path class="curve curve--blend" d={path(after.map((v, i) => [X(i, after.length - 1), Y(v)] as const))} />
        <path class="curve curve--ref" d={path(c.before.map((v, i) => [X(i, c.before.length - 1), Y(v)] as const))} />
        <line class="closing-level" x1={4} x2={W - 4} y1={Y(c.after[0])} y2={Y(c.after[0])} />
      </svg>
      <div class="closing-foot">
        <span class="legend">
          <span>
            <i class="swatch swatch--dash" />
            captured
          </span>
          <span>
            <i class="swatch swatch--accent" />
            closed
          </span>
        </span>
        {closings.length > 1 ? (
          <span class="closing-pick">
            <Select
              value={joint}
              label="Joint"
              options={closings.map((one) => [one.joint, one.joint] as const)}
              onChange={pick}
            />
          </span>
        ) : null}
      </div>
    </Section>
  )
}

function Roles({ clip }: { clip: ClipDetails }) {
  const all = hello.value?.roles ?? [...Object.keys(clip.roles), ...clip.missing_roles]
  const set = (role: string, joint: string) => {
    const roles = { ...clip.roles }
    if (joint) roles[role] = joint
    else delete roles[role]
    void act({ type: 'correct', clip: clip.name, roles } as never)
  }
  return (
    <div class="roles" role="group" aria-label="Roles of joints">
      {all.map((role) => (
        <label key={role} class="role-row">
          <span class={role.startsWith('left') ? 'side-l' : role.startsWith('right') ? 'side-r' : ''}>
            {role.replace('_', ' ')}
          </span>
          <Select
            value={clip.roles[role] ?? ''}
            label={`Joint of ${role.replace('_', ' ')}`}
            options={[['', '–'], ...clip.joints.map((j) => [j, j] as const)]}
            onChange={(joint) => set(role, joint)}
          />
        </label>
      ))}
    </div>
  )
}
