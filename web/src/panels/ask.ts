/** Questions that panels put to the server: asked again when what they depend on changes, stale answers left out. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { RefusedError, type AnswerOf, type Request } from '../app/connection'
import { connection } from '../app/store'
import type { Answer } from '../messages'

export interface Asked<K extends Answer['type']> {
  /** The last answer; it stays while a newer one is awaited. */
  data: AnswerOf<K> | null
  /** Why there is none, in the server's words. */
  failed: string
  busy: boolean
}

/** Answers carry no number of what they answer, so there is one question of a kind at a time. */
const queues = new Map<string, Promise<unknown>>()
function inTurn<K extends Answer['type']>(request: Request, type: K): Promise<AnswerOf<K>> {
  const answer = (queues.get(type) ?? Promise.resolve())
    .catch(() => undefined)
    .then(() => connection.ask(request, type))
  queues.set(type, answer)
  return answer
}

/** While a question is under way, only the latest of those that come is asked afterwards. */
export function useAsk<K extends Answer['type']>(
  request: Request | null,
  type: K,
  revision: number | string = 0,
): Asked<K> {
  const [answer, set] = useState<Asked<K>>({ data: null, failed: '', busy: false })
  const key = JSON.stringify([request, revision]),
    live = connection.status.value === 'live'
  const state = useRef({ wanted: key, request, running: false, gone: false })
  state.current.wanted = key
  state.current.request = request
  useEffect(() => {
    state.current.gone = false
    return () => {
      state.current.gone = true
    }
  }, [])
  useEffect(() => {
    const s = state.current
    if (!request || !live || s.running) return
    s.running = true
    const run = async (): Promise<void> => {
      while (s.request && !s.gone) {
        const asked = s.wanted
        set((old) => ({ ...old, busy: true }))
        try {
          const data = await inTurn(s.request, type)
          if (s.gone) return
          set({ data, failed: '', busy: s.wanted !== asked })
        } catch (error) {
          if (s.gone) return
          const text =
            error instanceof RefusedError
              ? [error.answer.message, error.answer.helps].filter(Boolean).join('; ')
              : String((error as Error).message)
          set({ data: null, failed: text, busy: false })
        }
        if (s.wanted === asked) return
      }
    }
    void run().finally(() => {
      s.running = false
    })
  }, [key, live])
  return request ? answer : { data: null, failed: '', busy: false }
}
