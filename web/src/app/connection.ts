/** The one WebSocket: commands out with a sequence number each, answers and pose frames in, and coming back after a loss. */
import { signal } from '@preact/signals'
import { FRAME, FRAME_FIELDS, FRAME_KIND, type Ack, type Answer, type Command, type Refused } from '../messages'

type Without<T> = T extends { seq: number } ? Omit<T, 'seq'> : never
/** A command as panels write it: the connection numbers it. */
export type Request = Without<Command>
export type AnswerOf<K extends Answer['type']> = Extract<Answer, { type: K }>

/** One figure of a pose frame. `fields` is indexed by `FRAME`. */
export interface Figure {
  fields: Float32Array
  /** World position of the root, metres. */
  root: Float64Array
  /** Local rotations, w x y z for each joint. */
  rotations: Float32Array
}
export interface Frame {
  acknowledged: number
  number: number
  figures: Figure[]
}

export class RefusedError extends Error {
  constructor(readonly answer: Refused) {
    super(answer.message)
  }
}

interface Pending {
  done: (ack: Ack) => void
  fail: (error: Error) => void
  text: string
  sent: boolean
}
interface Asked {
  seq: number
  type: string
  data: Answer | null
}

const LIVE_ONLY = new Set(['point', 'steer', 'scrub', 'step', 'ping']) // stale after a loss: not sent again
const QUEUE = 200
const PAUSES = [200, 400, 800, 1500, 3000] // ms before trying again

export class Connection {
  readonly status = signal<'connecting' | 'live' | 'lost'>('connecting')
  /** Frames per second that arrive, and milliseconds from a command to the first pose that follows it. */
  readonly rate = signal(0)
  readonly delay = signal(0)
  readonly roundTrips: number[] = []
  private socket: WebSocket | null = null
  private seq = 0
  private tries = 0
  private readonly pending = new Map<number, Pending>()
  private readonly asked: Asked[] = []
  private readonly listeners = new Map<string, Set<(answer: never) => void>>()
  private readonly watchers = new Set<(frame: Frame) => void>()
  private readonly times = new Map<number, number>()
  private arrived: number[] = []

  /** `joints` tells how many joints a body has, so that frames can be cut; null: not known yet. */
  constructor(
    private readonly joints: (body: number) => number | null,
    private readonly address = socketAddress(),
  ) {}

  open(): void {
    const socket = (this.socket = new WebSocket(this.address))
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.tries = 0
      this.status.value = 'live'
      for (const one of this.pending.values())
        if (!one.sent) {
          socket.send(one.text)
          one.sent = true
        }
    }
    socket.onmessage = (event) => {
      if (typeof event.data === 'string') this.answer(JSON.parse(event.data) as Answer)
      else this.frame(event.data as ArrayBuffer)
    }
    socket.onclose = () => this.lost(socket)
  }

  private lost(socket: WebSocket): void {
    if (this.socket !== socket) return
    this.socket = null
    this.status.value = 'lost'
    this.rate.value = 0
    this.arrived = []
    this.times.clear()
    this.asked.length = 0
    for (const [seq, one] of this.pending)
      if (one.sent) {
        this.pending.delete(seq)
        one.fail(new Error('The connection was lost before the server answered.'))
      }
    setTimeout(() => this.open(), PAUSES[Math.min(this.tries++, PAUSES.length - 1)])
  }

  /** Send a command; resolves when the server has done it, rejects with its reason where it was refused. */
  send(request: Request): Promise<Ack> {
    const seq = ++this.seq,
      text = JSON.stringify({ ...request, seq })
    const live = this.socket?.readyState === WebSocket.OPEN
    if (!live && (LIVE_ONLY.has(request.type) || this.pending.size >= QUEUE))
      return Promise.reject(new Error('Not connected.'))
    const promise = new Promise<Ack>((done, fail) => this.pending.set(seq, { done, fail, text, sent: live }))
    if (live) {
      if (LIVE_ONLY.has(request.type)) this.times.set(seq, performance.now())
      this.socket!.send(text)
    }
    return promise
  }

  /** Send a command that is answered with data of this type, and resolve with that. */
  async ask<K extends Answer['type']>(request: Request, type: K): Promise<AnswerOf<K>> {
    const entry: Asked = { seq: this.seq + 1, type, data: null }
    this.asked.push(entry)
    try {
      await this.send(request)
      if (!entry.data) throw new Error(`The server did not answer with ${type}.`)
      return entry.data as AnswerOf<K>
    } finally {
      const i = this.asked.indexOf(entry)
      if (i >= 0) this.asked.splice(i, 1)
    }
  }

  on<K extends Answer['type']>(type: K, listener: (answer: AnswerOf<K>) => void): () => void {
    const all = this.listeners.get(type) ?? new Set()
    this.listeners.set(type, all.add(listener as (answer: never) => void))
    return () => {
      all.delete(listener as (answer: never) => void)
    }
  }

  onFrame(watcher: (frame: Frame) => void): () => void {
    this.watchers.add(watcher)
    return () => {
      this.watchers.delete(watcher)
    }
  }

  private answer(answer: Answer): void {
    const open = this.asked.find((a) => a.type === answer.type && !a.data)
    if (open) open.data = answer
    for (const listener of this.listeners.get(answer.type) ?? []) (listener as (a: Answer) => void)(answer)
    if (answer.type !== 'ack' && answer.type !== 'refused') return
    const one = this.pending.get(answer.seq)
    this.pending.delete(answer.seq)
    if (answer.type === 'ack') one?.done(answer)
    else one?.fail(new RefusedError(answer))
  }

  private frame(buffer: ArrayBuffer): void {
    const head = new Uint32Array(buffer, 0, 4)
    if (head[0] !== FRAME_KIND) return
    const floats = new Float32Array(buffer, 16),
      figures: Figure[] = []
    let at = 0
    for (let i = 0; i < head[3]; i++) {
      const fields = floats.subarray(at, at + FRAME_FIELDS),
        n = this.joints(fields[FRAME.body])
      if (n === null) return
      at += FRAME_FIELDS
      const root = new Float64Array([
        floats[at] + fields[FRAME.origin_x],
        floats[at + 1],
        floats[at + 2] + fields[FRAME.origin_z],
      ])
      figures.push({ fields, root, rotations: floats.subarray(at + 3, at + 3 + 4 * n) })
      at += 3 + 4 * n
    }
    this.measure(head[1])
    const frame = { acknowledged: head[1], number: head[2], figures }
    for (const watcher of this.watchers) watcher(frame)
  }

  private measure(acknowledged: number): void {
    const now = performance.now()
    for (const [seq, sent] of this.times) {
      if (seq > acknowledged) break
      this.times.delete(seq)
      this.roundTrips.push(now - sent)
      if (this.roundTrips.length > 4000) this.roundTrips.splice(0, 1000)
      this.delay.value = 0.9 * (this.delay.value || now - sent) + 0.1 * (now - sent)
    }
    this.arrived.push(now)
    if (now - this.arrived[0] < 2000) return
    this.rate.value = Math.round(((this.arrived.length - 1) / (now - this.arrived[0])) * 1000)
    this.arrived = [now]
  }
}

/** The token of an address that was printed for another machine stays in every request. */
export const token = (): string => new URLSearchParams(location.search).get('token') ?? ''

export const withToken = (address: string): string =>
  token() ? `${address}${address.includes('?') ? '&' : '?'}token=${encodeURIComponent(token())}` : address

function socketAddress(): string {
  const url = new URL(withToken('./ws'), location.href)
  url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  url.hash = ''
  return url.href
}
