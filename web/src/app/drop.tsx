/** Files dropped anywhere on the window, or chosen: sent to the server one by one, then taken in together. */
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { bytes, counted } from '../ui/format'
import { Icon } from '../ui/icons'
import { withToken } from './connection'
import { act, hello, jobs, store, toast, welcomed } from './store'

/** Where the pointer is while files hang over the window; null: none do. */
const over = signal<{ x: number; y: number; count: number } | null>(null)
/** Set by the network editor: the place of the map under a point of the window, or null. */
export const mapUnder: { at: (x: number, y: number) => readonly [number, number] | null } = { at: () => null }

interface Named {
  name: string
  file: File
}

/** Files of a drop, with those in dropped folders; names keep the folders. */
async function filesOf(data: DataTransfer): Promise<Named[]> {
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? [])
  if (!entries.length) return [...data.files].map((file) => ({ name: file.name, file }))
  const out: Named[] = []
  const walk = async (entry: FileSystemEntry, prefix: string): Promise<void> => {
    if (entry.isFile) {
      const file = await new Promise<File>((done, fail) => (entry as FileSystemFileEntry).file(done, fail))
      out.push({ name: prefix + file.name, file })
      return
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((done, fail) => reader.readEntries(done, fail))
      if (!some.length) return
      for (const one of some) await walk(one, `${prefix}${entry.name}/`)
    }
  }
  for (const entry of entries) await walk(entry, '')
  return out
}

let batches = 0
const newBatch = () => (Date.now() % 1e9) * 10 + (batches++ % 10)

/** Send one file; resolves with where it lies in the opened folder. */
export async function upload(file: File, name = file.name, batch = newBatch()): Promise<string> {
  const reply = await fetch(withToken(`./upload?name=${encodeURIComponent(name)}&batch=${batch}`), {
    method: 'POST',
    body: file,
  })
  const answer = (await reply.json().catch(() => ({}))) as { path?: string; error?: string }
  if (!answer.path) throw new Error(answer.error ?? `${name} could not be uploaded (${reply.status}).`)
  return answer.path
}

/** Upload files and have them taken in; `at` is where a clip was dropped on the network. */
export async function bring(files: readonly Named[], at: readonly [number, number] | null = null): Promise<void> {
  const known = hello.value?.suffixes ?? [],
    limit = hello.value?.upload_limit ?? 200e6
  const fits = files.filter(({ name }) => !known.length || known.some((s) => name.toLowerCase().endsWith(s)))
  const other = files.length - fits.length
  if (!fits.length) {
    toast(
      files.length
        ? `${files[0].name} is not a motion file. Supported formats: ${known.join(' ')}`
        : 'The folder contains no files.',
      'doubt',
    )
    return
  }
  if (other) toast(`${counted(other, 'file is', 'files are')} ignored: not a motion file`, 'info')
  const large = fits.find(({ file }) => file.size > limit)
  if (large) {
    toast(`${large.name} has ${bytes(large.file.size)}; the limit is ${bytes(limit)}.`, 'doubt')
    return
  }
  const batch = newBatch(),
    job = -batch,
    paths: string[] = []
  const progress = (done: number, about: string) => {
    jobs.value = [
      ...jobs.value.filter((j) => j.job !== job),
      { type: 'progress', job, title: 'Sending', stage: 'read', about, done, total: fits.length },
    ]
  }
  try {
    for (const [i, { name, file }] of fits.entries()) {
      progress(i, name)
      try {
        paths.push(await upload(file, name, batch))
      } catch (error) {
        if (error instanceof TypeError) {
          toast('The server does not answer. The files were not uploaded.', 'error')
          break
        }
        toast((error as Error).message, 'doubt')
      }
    }
  } finally {
    jobs.value = jobs.value.filter((j) => j.job !== job)
  }
  if (!paths.length) return
  welcomed.value = true
  store('welcomed', 'yes')
  const one = paths.length === 1 && /\.(moca|json)$/i.test(paths[0])
  await act(one ? { type: 'open', path: paths[0] } : { type: 'import', paths, at: at ? [at[0], at[1]] : null })
}

/** Ask for files by the browser's own dialog. */
export function chooseFiles(folder = false): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.multiple = true
  if (folder) input.webkitdirectory = true
  input.onchange = () =>
    void bring([...(input.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })))
  input.click()
}

export function DropCurtain() {
  useEffect(() => {
    const carries = (e: DragEvent) => e.dataTransfer?.types.includes('Files') ?? false
    const move = (e: DragEvent) => {
      if (!carries(e)) return
      e.preventDefault()
      e.dataTransfer!.dropEffect = 'copy'
      over.value = { x: e.clientX, y: e.clientY, count: e.dataTransfer!.items.length }
    }
    const leave = (e: DragEvent) => {
      if (!e.relatedTarget) over.value = null
    }
    const drop = (e: DragEvent) => {
      if (!carries(e)) return
      e.preventDefault()
      over.value = null
      const at = e.dataTransfer!.items.length === 1 ? mapUnder.at(e.clientX, e.clientY) : null
      void filesOf(e.dataTransfer!).then((files) => bring(files, at))
    }
    const all = [
      ['dragenter', move],
      ['dragover', move],
      ['dragleave', leave],
      ['drop', drop],
    ] as const
    for (const [name, run] of all) addEventListener(name, run)
    return () => {
      for (const [name, run] of all) removeEventListener(name, run)
    }
  }, [])
  const o = over.value
  if (!o) return null
  const onMap = o.count === 1 && mapUnder.at(o.x, o.y) !== null
  return (
    <div class="drop-curtain" aria-hidden="true">
      <div class="drop-card">
        <Icon name="drop" />
        <strong>{onMap ? 'Drop to add a node here' : 'Drop to add the motion'}</strong>
        <span class="muted">
          {onMap
            ? 'The clip becomes a node at this turn and speed.'
            : 'Its cycle is found, synchronised with the others and placed by turn and speed.'}
        </span>
      </div>
    </div>
  )
}
