/** Export: the destination first, which fills in the rest; bones and files are listed before anything is written. */
import { useEffect, useState } from 'preact/hooks'
import { save } from '../app/shell'
import { RefusedError, withToken } from '../app/connection'
import { connection, hello, recording, toast } from '../app/store'
import type { ExportPlan, Written } from '../messages'
import { Button, CodeLine, Dialog, NumberField, Segmented, Select, Switch } from '../ui/controls'
import { bytes } from '../ui/format'
import { Icon } from '../ui/icons'

type What = 'blend' | 'nodes' | 'recording'
type Format = 'amc' | 'bvh' | 'glb' | 'gltf' | 'moca'
const WHAT: Readonly<Record<What, string>> = { blend: 'This blend', nodes: 'All nodes', recording: 'Recording' }
const MARKS = [[/three/i, '3'], [/unreal/i, 'Ue'], [/vrm/i, 'VR'], [/plain|file/i, '{ }']] as const
const mark = (title: string) => MARKS.find(([is]) => is.test(title))?.[1] ?? title.slice(0, 2)

const nameOf = (path: string): string => path.split('/').at(-1) ?? path
const fileAddress = (path: string): string => withToken(`./files/${path.split('/').map(encodeURIComponent).join('/')}`)

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const all = hello.value?.destinations ?? []
  const [name, setName] = useState(all[0]?.name ?? ''), chosen = all.find((d) => d.name === name) ?? all[0]
  const [what, setWhat] = useState<What>((chosen?.what[0] as What) ?? 'recording'), [format, setFormat] = useState<Format>((chosen?.formats[0] as Format) ?? 'glb')
  const [inPlace, setInPlace] = useState(false), [loop, setLoop] = useState(true), [rate, setRate] = useState(60), [seconds, setSeconds] = useState(10), [unit, setUnit] = useState('')
  const [plan, setPlan] = useState<ExportPlan | null>(null), [done, setDone] = useState<Written | null>(null), [busy, setBusy] = useState(false), [problem, setProblem] = useState('')
  const choose = (next: string) => {
    const d = all.find((x) => x.name === next)
    setName(next)
    setDone(null)
    setProblem('')
    if (!d) return
    if (!d.what.includes(what)) setWhat(d.what[0] as What)
    if (!d.formats.includes(format)) setFormat(d.formats[0] as Format)
  }
  useEffect(() => {
    if (!name) return undefined
    let alive = true
    connection.ask({ type: 'ask_export', destination: name, what }, 'export_plan').then((m) => { if (alive) { setPlan(m); setProblem('') } }, (e: Error) => { if (alive) { setPlan(null); setProblem(e.message) } })
    return () => { alive = false }
  }, [name, what])
  const write = async () => {
    setBusy(true)
    setProblem('')
    try {
      const written = await connection.ask({ type: 'export', destination: name, what, format, in_place: inPlace, loop, frame_rate: rate, seconds, unit: (unit || null) as 'm' | null }, 'written')
      setDone(written)
      const more = written.files.length - 1, first = written.files[0], file = nameOf(first.path)
      toast(more ? `Exported ${more + 1} files, among them` : 'Exported', 'info', '', { name: file, href: fileAddress(first.path) })
    } catch (e) { setProblem(e instanceof RefusedError ? `${e.message} ${e.answer.helps}` : (e as Error).message) }
    setBusy(false)
  }
  const count = plan?.files.length ?? 1
  return (
    <Dialog title="Export" wide onClose={onClose} foot={<>
      <div class="grow">{(done?.python || plan?.python) && <CodeLine text={(done?.python || plan?.python)!} />}</div>
      <Button size="lg" onClick={onClose}>{done ? 'Close' : 'Cancel'}</Button>
      <Button size="lg" kind="primary" disabled={busy || !chosen} onClick={() => void write()}>{busy ? 'Writing …' : `Export ${count} ${count === 1 ? 'file' : 'files'}`}</Button>
    </>}>
      <div class="export-body">
        <div class="destinations" role="radiogroup" aria-label="Destination">
          {all.map((d) => (
            <button type="button" class="destination" role="radio" key={d.name} aria-checked={d.name === name} {...(d.name === name ? { 'data-autofocus': true } : {})} onClick={() => choose(d.name)}>
              <span class="destination-mark">{mark(d.title)}</span><span><strong>{d.title}</strong><small>{d.about}</small></span>
            </button>
          ))}
          <div class="destination-more"><Button icon="save" onClick={() => { save(); onClose() }}>Save the project</Button></div>
        </div>
        <div class="export-form">
          <div class="form-row"><span class="form-label">What</span><Segmented label="What" value={what} options={(Object.keys(WHAT) as What[]).filter((k) => chosen?.what.includes(k) ?? true).map((k) => [k, WHAT[k]] as const)} onChange={setWhat} />
            {what === 'recording' && <p class="form-hint">{recording.value.seconds > 0 ? `The recording of ${recording.value.seconds.toFixed(1)} s.` : 'Nothing was recorded yet (R on the stage): the character is played on from here.'}</p>}</div>
          {what === 'recording' && recording.value.seconds <= 0 && <div class="form-row"><span class="form-label">Length</span><NumberField label="Seconds" value={seconds} digits={1} unit="s" onChange={(v) => setSeconds(Math.max(0.1, Math.min(600, v)))} /></div>}
          <div class="form-row"><span class="form-label">Format</span>{(chosen?.formats.length ?? 0) > 1 ? <Segmented label="Format" value={format} options={chosen!.formats.map((f) => [f as Format, f.toUpperCase()] as const)} onChange={setFormat} /> : <span>{format.toUpperCase()}</span>}</div>
          <div class="form-row"><span class="form-label">Travel</span><Segmented label="Travel" value={inPlace ? 'place' : 'root'} options={[['root', 'Root motion'], ['place', 'In place']]} onChange={(v) => setInPlace(v === 'place')} /><p class="form-hint">{inPlace ? 'The character walks on the spot.' : 'The root carries travel and turn.'}</p></div>
          {what !== 'recording' && <div class="form-row"><span class="form-label">Loop</span><span class="form-line"><Switch on={loop} label="First pose again at the end" onChange={setLoop} /><span class="muted">first pose written again at the end</span></span></div>}
          <div class="form-row"><span class="form-label">Frame rate</span><Segmented label="Frame rate" value={String(rate)} options={[['30', '30'], ['60', '60'], ['120', '120']]} onChange={(v) => setRate(Number(v))} /></div>
          <div class="form-row"><span class="form-label">Unit</span><Select label="Unit" value={unit} options={[['', 'as the destination has it'], ['m', 'metres'], ['cm', 'centimetres'], ['mm', 'millimetres'], ['inch', 'inches']]} onChange={setUnit} /></div>
          {plan?.notes.filter((note) => note !== chosen?.about).map((note) => <p class="form-note muted" key={note}>{note}</p>)}
          {problem && <div class="note note--warn" role="alert"><Icon name="warn" /><div>{problem}</div></div>}
        </div>
        <div class="export-preview">
          {done ? <>
            <h3 class="section-title"><span>Written</span></h3>
            <div class="file-list">{done.files.map((f) => <a class="file-item" key={f.path} href={fileAddress(f.path)} download={nameOf(f.path)}><Icon name="drop" /><span>{nameOf(f.path)}</span><span class="muted num">{bytes(f.bytes)}</span></a>)}</div>
            <p class="muted">They lie in the opened folder; a click fetches one.</p>
          </> : <>
            <h3 class="section-title"><span>Joints</span><span class="num">{plan ? `${plan.joints.length} of ${hello.value?.roles.length ?? plan.joints.length} roles` : ''}</span></h3>
            <div class="bones">{plan?.joints.slice(0, 10).map(([a, b]) => <div class="bone mono" key={a}><span>{a}</span><Icon name="right" /><span>{b}</span></div>)}{plan && plan.joints.length > 10 && <div class="bone muted"><span>{plan.joints.length - 10} more roles</span></div>}</div>
            <h3 class="section-title"><span>Files</span></h3>
            <div class="file-list">{plan?.files.map(([file, about]) => <div class="file-item" key={file}><Icon name="file" /><span>{file}</span><span class="muted num">{about}</span></div>)}</div>
          </>}
        </div>
      </div>
    </Dialog>
  )
}

