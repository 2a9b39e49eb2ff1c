/** The console: commands in a line each, their answers below; the arrows bring earlier lines back. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { connection, hello } from '../../app/store'
import { RefusedError } from '../../app/connection'
import { Icon } from '../../ui/icons'

interface Line {
  text: string
  kind: 'in' | 'out' | 'bad'
}
const shown = signal<readonly Line[]>([]),
  past: string[] = []

export function ConsoleBox() {
  const [text, setText] = useState(''),
    at = useRef(past.length),
    end = useRef<HTMLDivElement>(null)
  const lines = shown.value,
    known = hello.value?.commands ?? []
  useEffect(() => {
    end.current?.scrollTo(0, end.current.scrollHeight)
  }, [lines])
  const run = async (line: string) => {
    if (!line.trim()) return
    past.push(line)
    at.current = past.length
    setText('')
    shown.value = [...shown.value.slice(-300), { text: line, kind: 'in' }]
    try {
      const answer = await connection.ask({ type: 'console', text: line }, 'console')
      shown.value = [
        ...shown.value,
        ...answer.lines.map((one): Line => ({ text: one, kind: answer.failed ? 'bad' : 'out' })),
      ]
    } catch (error) {
      shown.value = [
        ...shown.value,
        { text: error instanceof RefusedError ? error.answer.message : String((error as Error).message), kind: 'bad' },
      ]
    }
  }
  const back = (by: number) => {
    at.current = Math.max(0, Math.min(past.length, at.current + by))
    setText(past[at.current] ?? '')
  }
  const complete = () => {
    const hit = known.filter((c) => c.startsWith(text.trim()))
    if (text.trim() && hit.length === 1) setText(`${hit[0]} `)
    else if (hit.length > 1) shown.value = [...shown.value, { text: hit.join('   '), kind: 'out' }]
  }
  return (
    <section class="console" aria-label="Console">
      <div class="console-lines" ref={end} role="log">
        {lines.length ? (
          lines.map((l, i) => (
            <div key={i} class={`console-line console-line--${l.kind}`}>
              {l.text || ' '}
            </div>
          ))
        ) : (
          <div class="console-line muted">
            Type one command per line, such as {known[0] ?? 'help'}. Tab completes it; the arrow keys recall earlier
            lines. You can paste several lines as a script.
          </div>
        )}
      </div>
      <label class="console-input">
        <Icon name="right" />
        <input
          class="mono"
          aria-label="Command"
          spellcheck={false}
          autocomplete="off"
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onPaste={(e) => {
            const given = e.clipboardData?.getData('text') ?? ''
            if (given.includes('\n')) {
              e.preventDefault()
              void run(given)
            }
          }}
          onKeyDown={(e) => {
            if (e.key === 'Enter') {
              e.preventDefault()
              void run(text)
            }
            if (e.key === 'ArrowUp') {
              e.preventDefault()
              back(-1)
            }
            if (e.key === 'ArrowDown') {
              e.preventDefault()
              back(1)
            }
            if (e.key === 'Tab' && text.trim()) {
              e.preventDefault()
              complete()
            }
            e.stopPropagation()
          }}
        />
      </label>
    </section>
  )
}
