/** The state of the page: the last messages of the server, and what is chosen in the page itself. */
import { batch, computed, signal } from '@preact/signals'
import {
  FRAME,
  type Compared,
  type Hello,
  type ImportReport,
  type Map as MapLayer,
  type NetworkView,
  type NodePoses,
  type Progress,
  type ProjectState,
  type Recording,
  type Refusal,
  type StateLog,
} from '../messages'
import type { Body, Skeleton } from '../stage/figure'
import { counted, float32, int16, uint16, uint32 } from '../ui/format'
import { Connection, RefusedError, type Figure, type Frame, type Request } from './connection'

export interface Person {
  id: number
  skeleton: Skeleton
  body: Body
  height: number
}
export interface Figures {
  nodes: readonly string[]
  phases: number
  nPoints: number
  poses: Int16Array
}
export interface Toast {
  id: number
  text: string
  level: 'info' | 'doubt' | 'error'
  helps: string
  link?: { name: string; href: string }
}

export const people = new Map<number, Person>()
export const connection = new Connection((body) => people.get(body)?.skeleton.names.length ?? null)

export const hello = signal<Hello | null>(null)
/** The folder of the files that were written last. */
export const writtenTo = signal('')
export const project = signal<ProjectState | null>(null)
export const network = signal<NetworkView | null>(null)
/** Small skeletons of nodes, by block. */
export const figures = signal<Readonly<Record<string, Figures>>>({})
/** Counts up whenever a skeleton arrives again, after the connection was lost: what is drawn has to be made anew. */
export const peopleChanged = signal(0)
export const jobs = signal<readonly Progress[]>([])
export const report = signal<ImportReport | null>(null)
export const refusals = signal<readonly Refusal[]>([])
export const states = signal<StateLog | null>(null)
export const maps = signal<Readonly<Record<string, MapLayer>>>({})
export const recording = signal<Recording>({ type: 'recording', recording: false, seconds: 0, slip_mm_max: null })
/** Seconds of the recording under way, in the character's own time. */
const recordedFrom = signal<number | null>(null)
export const recordedSeconds = computed(() =>
  recordedFrom.value === null
    ? recording.value.seconds
    : Math.max(0, (calmHero.value?.fields[FRAME.time] ?? 0) - recordedFrom.value),
)
export const toasts = signal<readonly Toast[]>([])
/** Lines of API of what was done in this page, oldest first. */
export const lines = signal<readonly string[]>([])

/** The latest frame, at most once a picture; `calm` follows eight times a second, for words and numbers. */
export const live = signal<Frame | null>(null)
export const calm = signal<Frame | null>(null)
export const character = signal(0)

export const isCharacter = (figure: Figure): boolean => figure.fields[FRAME.figure] === 0
const pick = (frame: Frame | null): Figure | null =>
  frame?.figures.find((f) => isCharacter(f) && f.fields[FRAME.number] === character.value) ??
  frame?.figures.find(isCharacter) ??
  null
/** The character that is steered: every picture, and calmly. */
export const hero = computed(() => pick(live.value))
export const calmHero = computed(() => pick(calm.value))

/** The block the character is in, and its number. */
export const blockNumber = computed(() => {
  const n = calmHero.value?.fields[FRAME.block] ?? 0,
    count = network.value?.blocks.length ?? 0
  return count ? Math.max(0, Math.min(count - 1, n)) : -1
})
export const block = computed(() => network.value?.blocks[blockNumber.value] ?? null)

// Chosen in the page.
export const screen = signal(location.hash.slice(1) || 'stage')
export const dialog = signal<'' | 'export' | 'help' | 'python' | 'open'>('')
export const theme = signal<'dark' | 'light'>(firstTheme())
theme.subscribe((t) => {
  document.documentElement.dataset.theme = t
}) // at once: pictures read their colours from the page
export const playing = signal(true)
export const playRate = signal(1)
export const selectedNode = signal('')
export const layer = signal<'' | 'distortion' | 'slip'>('')
export const shown = signal({ body: true, feet: true, trail: true, follow: true, onion: false })
/** What is shown beside the character: the capture of a node, or its closed cycle where there is none at hand. */
export const compared = signal<Compared>({ type: 'compared', node: '', kind: '', text: '' })
export const drawing = signal(false)
/** Whether the network and the inspector stand beside the stage. */
export const beside = signal(true)
/** Where the point is being dragged to, before the server has answered. */
export const held = signal<readonly [number, number] | null>(null)
export const welcomed = signal(stored('welcomed') === 'yes')

function firstTheme(): 'dark' | 'light' {
  const asked = new URLSearchParams(location.search).get('theme') ?? stored('theme')
  return asked === 'light' || asked === 'dark'
    ? asked
    : matchMedia('(prefers-color-scheme: light)').matches
      ? 'light'
      : 'dark'
}

/** Choices of the page outlive it where the browser keeps them. */
export function stored(key: string): string {
  try {
    return localStorage.getItem(`mocapella.${key}`) ?? ''
  } catch {
    return ''
  }
}
export function store(key: string, value: string): void {
  try {
    localStorage.setItem(`mocapella.${key}`, value)
  } catch {
    /* kept for this page only */
  }
}

let toastCount = 0,
  lastImport = ''
export function toast(text: string, level: Toast['level'] = 'info', helps = '', link?: Toast['link']): void {
  const one: Toast = { id: ++toastCount, text, level, helps, ...(link ? { link } : {}) }
  toasts.value = [...toasts.value.slice(-2), one]
  setTimeout(
    () => {
      toasts.value = toasts.value.filter((t) => t.id !== one.id)
    },
    level === 'info' && !link ? 3500 : 9000,
  )
}

/** Do what a command says; a refusal is shown where it can be read. Resolves to whether it was done. */
export async function act(request: Request): Promise<boolean> {
  try {
    const ack = await connection.send(request)
    if (ack.python && lines.value.at(-1) !== ack.python) lines.value = [...lines.value.slice(-199), ack.python]
    return true
  } catch (error) {
    if (error instanceof RefusedError) toast(error.answer.message, 'doubt', error.answer.helps)
    else if (connection.status.value === 'live') toast(String((error as Error).message), 'error')
    return false
  }
}

/** Show the capture of a node beside the character, in phase; an empty name ends it. */
export async function showBeside(node: string, inBlock: string): Promise<void> {
  try {
    compared.value = await connection.ask({ type: 'compare', node, beside: true, block: inBlock }, 'compared')
  } catch (error) {
    compared.value = { type: 'compared', node: '', kind: '', text: '' }
    if (error instanceof RefusedError && node) toast(error.answer.message, 'doubt', error.answer.helps)
  }
}

/** Steering is sent without waiting for an answer, and is not sent again after a lost connection. */
export function tell(request: Request): void {
  connection.send(request).catch(() => undefined)
}

export function listen(): void {
  connection.on('hello', (m) => {
    hello.value = m
  })
  connection.on('project', (m) => {
    project.value = m
  })
  connection.on('network', (m) =>
    batch(() => {
      if (network.value && m.revision !== network.value.revision) {
        maps.value = {}
        // The server drops the old one with its network.
        if (compared.value.node) {
          const n = compared.value.node,
            b = m.blocks.find((x) => x.nodes.some((y) => y.name === n))
          void showBeside(b ? n : '', b?.name ?? '')
        }
      }
      network.value = m
      if (selectedNode.value && !m.blocks.some((b) => b.nodes.some((n) => n.name === selectedNode.value)))
        selectedNode.value = ''
    }),
  )
  connection.on('body', (m) => {
    const again = people.has(m.id)
    people.set(m.id, {
      id: m.id,
      height: m.height,
      skeleton: {
        names: m.joints,
        parents: m.parents,
        offsets: m.offsets.flat(),
        endJoints: m.end_parents,
        endOffsets: m.end_offsets.flat(),
        roles: m.roles,
      },
      body: {
        vertices: float32(m.vertices),
        faces: uint32(m.faces),
        joints: uint16(m.skin_joints),
        weights: float32(m.skin_weights),
      },
    })
    if (again) peopleChanged.value++
  })
  connection.on('node_poses', (m: NodePoses) => {
    figures.value = {
      ...figures.value,
      [m.block]: { nodes: m.nodes, phases: m.phases, nPoints: m.n_points, poses: int16(m.poses) },
    }
  })
  connection.on('progress', (m) => {
    const over = m.stage === 'done' || m.stage === 'failed' || m.stage === 'cancelled'
    jobs.value = [...jobs.value.filter((j) => j.job !== m.job), ...(over ? [] : [m])]
  })
  connection.on('import_report', (m) =>
    batch(() => {
      report.value = m
      refusals.value = m.refused // a report is of all clips
      const read = m.read.length,
        bad = m.refused.length,
        told = JSON.stringify([m.read, m.refused.map((r) => r.path)])
      if (told === lastImport) return // every new network of the same clips reports them again
      lastImport = told
      if (read) toast(`${counted(read, 'clip')} read${bad ? `; ${bad} refused` : ''}`, bad ? 'doubt' : 'info')
      else if (bad) toast(m.refused[0].message, 'doubt')
    }),
  )
  connection.on('states', (m) => {
    states.value = m
  })
  connection.on('map', (m) => {
    maps.value = { ...maps.value, [`${m.layer}:${m.block}`]: m }
  })
  connection.on('written', (m) => {
    writtenTo.value = m.place
    jobs.value = jobs.value.filter((j) => j.stage !== 'export')
  })
  connection.on('recording', (m) =>
    batch(() => {
      recording.value = m
      recordedFrom.value = m.recording ? (calmHero.peek()?.fields[FRAME.time] ?? 0) : null
    }),
  )
  connection.on('notice', (m) => toast(m.text, m.level))
  let waiting: Frame | null = null,
    shownAt = 0
  connection.onFrame((frame) => {
    if (!waiting)
      requestAnimationFrame((now) => {
        const latest = waiting!
        waiting = null
        batch(() => {
          live.value = latest
          if (now - shownAt > 120) {
            shownAt = now
            calm.value = latest
          }
        })
      })
    waiting = frame
  })
  connection.status.subscribe((status) => {
    if (status === 'lost') jobs.value = []
  })
}
