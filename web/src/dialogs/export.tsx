/** Export: the destination first, which fills in the rest; bones and files are listed before anything is written. */
import { useEffect, useState } from 'preact/hooks'
import { save } from '../app/shell'
import { RefusedError, withToken } from '../app/connection'
import { upload } from '../app/drop'
import { connection, hello, recording, toast } from '../app/store'
import type { ExportPlan, Written } from '../messages'
import { Button, CodeLine, Dialog, NumberField, Segmented, Select, Switch } from '../ui/controls'
import { bytes } from '../ui/format'
import { Icon } from '../ui/icons'

type What = 'blend' | 'nodes' | 'recording'
type Travel = 'hips' | 'root' | 'place'
const WHAT: Readonly<Record<What, string>> = { blend: 'This blend', nodes: 'All nodes', recording: 'Recording' }
const TRAVEL: Readonly<Record<Travel, string>> = { hips: 'Hips', root: 'Root bone', place: 'In place' }
const TRAVEL_HINT: Readonly<Record<Travel, string>> = {
  hips: 'The hips travel and turn, as captured.',
  root: 'A bone on the ground travels and turns evenly; the hips keep their sway.',
  place: 'The character walks on the spot.',
}
const NAMING: Readonly<Record<string, string>> = {
  'as-captured': 'as captured',
  vrm: 'VRM 1.0',
  godot: 'Godot humanoid',
  unreal: 'Unreal mannequin',
  mixamo: 'Mixamo',
}
const MARKS = [
  [/three/i, '3'],
  [/unreal/i, 'Ue'],
  [/vrm/i, 'VR'],
  [/plain|file/i, '{ }'],
  [/^C and/, 'C'],
  [/crowd/i, '⁂'],
  [/page/i, '<>'],
  [/web/i, 'Wa'],
  [/usd/i, 'Us'],
] as const
const mark = (title: string) => MARKS.find(([is]) => is.test(title))?.[1] ?? title.slice(0, 2)
const naming = (name: string) => NAMING[name] ?? name

const nameOf = (path: string): string => path.split('/').at(-1) ?? path
const fileAddress = (path: string): string => withToken(`./files/${path.split('/').map(encodeURIComponent).join('/')}`)

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const all = hello.value?.destinations ?? []
  const [name, setName] = useState(all[0]?.name ?? ''),
    chosen = all.find((d) => d.name === name) ?? all[0]
  const [what, setWhat] = useState<What>((chosen?.what[0] as What) ?? 'recording'),
    [format, setFormat] = useState(chosen?.formats[0] ?? 'glb')
  const [names, setNames] = useState(''),
    [travel, setTravel] = useState<Travel | ''>(''),
    [onto, setOnto] = useState(''),
    [sending, setSending] = useState(false)
  const [loop, setLoop] = useState(true),
    [rate, setRate] = useState(60),
    [seconds, setSeconds] = useState(10),
    [unit, setUnit] = useState('')
  const [plan, setPlan] = useState<ExportPlan | null>(null),
    [done, setDone] = useState<Written | null>(null),
    [busy, setBusy] = useState(false),
    [problem, setProblem] = useState('')
  const row = hello.value?.formats.find((f) => f.name === format),
    travels = (row?.travels ?? []) as readonly Travel[]
  const own = (chosen?.travel ?? 'hips') as Travel,
    way: Travel = travel && travels.includes(travel) ? travel : travels.includes(own) ? own : 'hips'
  const grid = Boolean(chosen?.grid) && what === 'nodes' && format === 'glb',
    mine = onto !== '' && Boolean(row?.onto)
  const choices = {
    destination: name,
    what,
    format,
    names: grid ? '' : names,
    travel: grid || !row ? null : way,
    onto: mine ? onto : '',
  }
  const choose = (next: string) => {
    const d = all.find((x) => x.name === next)
    setName(next)
    setDone(null)
    setProblem('')
    setNames('')
    setTravel('')
    if (!d) return
    if (!d.what.includes(what)) setWhat(d.what[0] as What)
    if (!d.formats.includes(format)) setFormat(d.formats[0])
  }
  useEffect(() => {
    if (!name) return undefined
    let alive = true
    connection.ask({ type: 'ask_export', ...choices }, 'export_plan').then(
      (m) => {
        if (alive) {
          setPlan(m)
          setProblem('')
        }
      },
      (e: Error) => {
        if (alive) {
          setPlan(null)
          setProblem(e.message)
        }
      },
    )
    return () => {
      alive = false
    }
  }, [JSON.stringify(choices)])
  const write = async () => {
    setBusy(true)
    setProblem('')
    try {
      const written = await connection.ask(
        { type: 'export', ...choices, loop, frame_rate: rate, seconds, unit: (unit || null) as 'm' | null },
        'written',
      )
      setDone(written)
      const more = written.files.length - 1,
        first = written.files[0],
        file = nameOf(first.path)
      toast(`Exported ${more ? `${more + 1} files` : 'a file'} into ${written.place}:`, 'info', '', {
        name: file,
        href: fileAddress(first.path),
      })
    } catch (e) {
      setProblem(e instanceof RefusedError ? `${e.message} ${e.answer.helps}` : (e as Error).message)
    }
    setBusy(false)
  }
  const bring = async (file: File) => {
    setSending(true)
    try {
      setOnto(await upload(file))
      setProblem('')
    } catch (e) {
      setProblem((e as Error).message)
    }
    setSending(false)
  }
  const count = plan?.files.length ?? 1
  return (
    <Dialog
      title="Export"
      wide
      onClose={onClose}
      foot={
        <>
          <div class="grow">
            {(done?.python || plan?.python) && <CodeLine text={(done?.python || plan?.python)!} />}
          </div>
          <Button size="lg" onClick={onClose}>
            {done ? 'Close' : 'Cancel'}
          </Button>
          <Button size="lg" kind="primary" disabled={busy || !chosen} onClick={() => void write()}>
            {busy ? 'Writing …' : `Export ${count} ${count === 1 ? 'file' : 'files'}`}
          </Button>
        </>
      }
    >
      <div class="export-body">
        <div class="destinations" role="radiogroup" aria-label="Destination">
          {all.map((d) => (
            <button
              type="button"
              class="destination"
              role="radio"
              key={d.name}
              aria-checked={d.name === name}
              {...(d.name === name ? { 'data-autofocus': true } : {})}
              onClick={() => choose(d.name)}
            >
              <span class="destination-mark">{mark(d.title)}</span>
              <span>
                <strong>{d.title}</strong>
                <small>{d.about}</small>
              </span>
            </button>
          ))}
          <div class="destination-more">
            <Button
              icon="save"
              onClick={() => {
                save()
                onClose()
              }}
            >
              Save the project
            </Button>
          </div>
        </div>
        <div class="export-form">
          <div class="form-row">
            <span class="form-label">What</span>
            <Segmented
              label="What"
              value={what}
              options={(Object.keys(WHAT) as What[])
                .filter((k) => chosen?.what.includes(k) ?? true)
                .map((k) => [k, WHAT[k]] as const)}
              onChange={setWhat}
            />
            {what === 'recording' && (
              <p class="form-hint">
                {recording.value.seconds > 0
                  ? `The recording of ${recording.value.seconds.toFixed(1)} s.`
                  : 'Nothing is recorded yet (press R on the stage). The next seconds of the character are exported instead.'}
              </p>
            )}
          </div>
          {what === 'recording' && recording.value.seconds <= 0 && (
            <div class="form-row">
              <span class="form-label">Length</span>
              <NumberField
                label="Seconds"
                value={seconds}
                digits={1}
                unit="s"
                onChange={(v) => setSeconds(Math.max(0.1, Math.min(600, v)))}
              />
            </div>
          )}
          <div class="form-row">
            <span class="form-label">Format</span>
            {(chosen?.formats.length ?? 0) > 1 ? (
              <Segmented
                label="Format"
                value={format}
                options={chosen!.formats.map((f) => [f, f.toUpperCase()] as const)}
                onChange={setFormat}
              />
            ) : (
              <span class="form-text">{format.toUpperCase()}</span>
            )}
          </div>
          {row?.onto ? (
            <div class="form-row">
              <span class="form-label">Body</span>
              <span class="form-line">
                {mine ? <span class="form-text">{nameOf(onto)}</span> : <span class="form-text">plain</span>}
                <label class="button button--sm">
                  {sending ? 'Sending …' : mine ? 'Another' : 'Your own character'}
                  <input
                    class="visually-hidden"
                    type="file"
                    accept=".glb,.vrm"
                    aria-label="Your own character, GLB or VRM"
                    onChange={(e) => {
                      const file = e.currentTarget.files?.[0]
                      if (file) void bring(file)
                    }}
                  />
                </label>
                {mine ? (
                  <Button size="sm" kind="quiet" onClick={() => setOnto('')}>
                    Plain body
                  </Button>
                ) : null}
              </span>
              {mine ? (
                <p class="form-hint">
                  The motion is retargeted to it, with locked feet, and written into a copy; mesh, materials and names
                  do not change.
                </p>
              ) : null}
            </div>
          ) : null}
          {row && !mine && row.names ? (
            <div class="form-row">
              <span class="form-label">Joint names</span>
              {grid ? (
                <span class="form-text">{naming(chosen?.names ?? '')}</span>
              ) : (
                <Select
                  label="Joint names"
                  value={names || chosen?.names || 'as-captured'}
                  options={(hello.value?.namings ?? []).map((n) => [n, naming(n)] as const)}
                  onChange={setNames}
                />
              )}
            </div>
          ) : null}
          {row ? (
            <div class="form-row">
              <span class="form-label">Travel</span>
              {grid ? (
                <span class="form-text">{TRAVEL[own]}</span>
              ) : (
                <Segmented
                  label="Travel"
                  value={way}
                  options={travels.map((t) => [t, TRAVEL[t]] as const)}
                  onChange={setTravel}
                />
              )}
              <p class="form-hint">{TRAVEL_HINT[grid ? own : way]}</p>
            </div>
          ) : null}
          {row?.loop && what !== 'recording' && !grid ? (
            <div class="form-row">
              <span class="form-label">Loop</span>
              <span class="form-line">
                <Switch on={loop} label="Repeat the first pose at the end" onChange={setLoop} />
                <span class="muted">repeat the first pose at the end</span>
              </span>
            </div>
          ) : null}
          {row ? (
            <div class="form-row">
              <span class="form-label">Frame rate</span>
              <Segmented
                label="Frame rate"
                value={String(rate)}
                options={[
                  ['30', '30'],
                  ['60', '60'],
                  ['120', '120'],
                ]}
                onChange={(v) => setRate(Number(v))}
              />
            </div>
          ) : null}
          {row?.unit ? (
            <div class="form-row">
              <span class="form-label">Unit</span>
              <Select
                label="Unit"
                value={unit}
                options={[
                  ['', 'as captured, else centimetres'],
                  ['m', 'metres'],
                  ['cm', 'centimetres'],
                  ['mm', 'millimetres'],
                  ['inch', 'inches'],
                ]}
                onChange={setUnit}
              />
            </div>
          ) : null}
          {problem && (
            <div class="note note--warn" role="alert">
              <Icon name="warn" />
              <div>{problem}</div>
            </div>
          )}
        </div>
        <div class="export-preview">
          {done ? (
            <>
              <h3 class="section-title">
                <span>Written</span>
              </h3>
              <div class="file-list">
                {done.files.map((f) => (
                  <a class="file-item" key={f.path} href={fileAddress(f.path)} download={nameOf(f.path)}>
                    <Icon name="drop" />
                    <span>{nameOf(f.path)}</span>
                    <span class="muted num">{bytes(f.bytes)}</span>
                  </a>
                ))}
              </div>
              <p class="muted">In {done.place}. Click a file to download it.</p>
            </>
          ) : (
            <>
              {plan?.joints.length ? (
                <h3 class="section-title">
                  <span>Joints</span>
                  <span class="num">
                    {plan.joints.length} of {hello.value?.roles.length ?? plan.joints.length} roles
                  </span>
                </h3>
              ) : null}
              <div class="bones">
                {plan?.joints.slice(0, 10).map(([a, b]) => (
                  <div class="bone mono" key={a}>
                    <span>{a}</span>
                    <Icon name="right" />
                    <span>{b}</span>
                  </div>
                ))}
                {plan && plan.joints.length > 10 && (
                  <div class="bone muted">
                    <span>{plan.joints.length - 10} more roles</span>
                  </div>
                )}
              </div>
              <h3 class="section-title">
                <span>{plan ? `Files in ${plan.place}` : 'Files'}</span>
              </h3>
              <div class="file-list">
                {plan?.files.map(([file, about]) => (
                  <div class="file-item" key={file}>
                    <Icon name="file" />
                    <span title={file}>{nameOf(file)}</span>
                    <span class="muted">{about}</span>
                  </div>
                ))}
              </div>
            </>
          )}
        </div>
      </div>
    </Dialog>
  )
}
