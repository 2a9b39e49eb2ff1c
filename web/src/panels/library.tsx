/** Library: captures of many folders, listed, filtered by kind, figures, words or example, and looked at before they are taken in. */
import { signal } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Panel } from '../app/panels'
import { act, hello, project } from '../app/store'
import type { LibraryRow, Preview } from '../messages'
import { Button, CodeLine, Fact, Note, Row, Section, Select, useSize } from '../ui/controls'
import { Figure } from '../ui/figure'
import { counted, fmt, int16, path as line, signed } from '../ui/format'
import { Icon } from '../ui/icons'
import { useAsk } from './ask'
import { skeletonOf } from './clips/figures'
import './panels.css'

const KINDS = ['walk', 'run', 'turn', 'stand', 'change', 'other'] as const
const SIDES = ['left', 'straight', 'right'] as const
const words = signal(''),
  like = signal(''),
  chosen = signal(''),
  marked = signal<readonly string[]>([])

const idOf = (row: LibraryRow) => `${row.path} ${row.start}`
const has = (word: string) => words.value.split(/\s+/).includes(word)
/** Put a word into the query, or take it out; of the words of a group there is one at most. */
const toggle = (word: string, group: readonly string[] = []) => {
  const kept = words.value.split(/\s+/).filter((w) => w && w !== word && !group.includes(w))
  words.value = [...kept, ...(has(word) ? [] : [word])].join(' ')
}

function Library() {
  const name = hello.value?.library ?? '',
    [query, ask] = useState(words.value)
  useEffect(() => {
    const wait = setTimeout(() => ask(words.value), 250)
    return () => clearTimeout(wait)
  }, [words.value]) // typing asks once
  const found = useAsk(name ? { type: 'ask_library', query, like: like.value } : null, 'library'),
    rows = found.data?.rows ?? []
  const row = rows.find((r) => idOf(r) === chosen.value) ?? rows[0]
  const looked = useAsk(
    row ? { type: 'ask_preview', path: row.path, start: row.start, frames: row.frames } : null,
    'preview',
  )
  const shown =
    looked.data && row && looked.data.path === row.path && looked.data.start === row.start ? looked.data : null
  if (!name) return <None />
  const take = async (all: readonly string[]) => {
    if (await act({ type: 'take_from_library', paths: [...new Set(all)] })) {
      marked.value = []
      location.hash = 'clips'
    }
  }
  const move = (by: number) => {
    const i = rows.findIndex((r) => r === row),
      next = rows[Math.max(0, Math.min(rows.length - 1, i + by))]
    if (next) chosen.value = idOf(next)
  }
  const mark = (file: string) => {
    marked.value = marked.value.includes(file) ? marked.value.filter((f) => f !== file) : [...marked.value, file]
  }
  return (
    <main class="workspace--clips workspace--library">
      <aside class="panel clip-list" aria-label="Library">
        <div class="panel-head">
          <h2 class="panel-title">{name}</h2>
          <span class="muted num grow" role="status">
            {found.data
              ? `${rows.length === 200 ? '200+ stretches' : counted(rows.length, 'stretch', 'stretches')} in ${counted(found.data.captures, 'capture')}`
              : ''}
          </span>
        </div>
        <div class="library-filter">
          <label class="field field--search">
            <Icon name="search" />
            <input
              aria-label="What to look for"
              placeholder="walk speed:1.0..1.3 turn:left"
              spellcheck={false}
              value={words.value}
              onInput={(e) => {
                words.value = e.currentTarget.value
              }}
            />
          </label>
          <div class="library-chips" role="group" aria-label="Kind">
            {KINDS.map((k) => (
              <button type="button" key={k} class="chip" aria-pressed={has(k)} onClick={() => toggle(k)}>
                {k}
              </button>
            ))}
          </div>
          <div class="library-chips" role="group" aria-label="Turn">
            {SIDES.map((s) => (
              <button
                type="button"
                key={s}
                class="chip"
                aria-pressed={has(`turn:${s}`)}
                onClick={() =>
                  toggle(
                    `turn:${s}`,
                    SIDES.map((x) => `turn:${x}`),
                  )
                }
              >
                {s}
              </button>
            ))}
          </div>
          {project.value?.clips.length ? (
            <Select
              value={like.value}
              label="Like a clip of the project"
              options={[
                ['', 'in order of length'],
                ...project.value.clips
                  .filter((c) => c.state === 'ready')
                  .map((c) => [c.name, `most like ${c.name}`] as const),
              ]}
              onChange={(v) => {
                like.value = v
              }}
            />
          ) : null}
          {found.failed ? <Note warn>{found.failed}</Note> : null}
        </div>
        <div
          class="panel-body"
          role="listbox"
          aria-label="Stretches"
          tabindex={0}
          onKeyDown={(e) => {
            const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 }[e.key]
            if (by) {
              e.preventDefault()
              e.stopPropagation()
              move(by)
            }
            if ((e.key === 'Enter' || e.key === ' ') && row) {
              e.preventDefault()
              e.stopPropagation()
              mark(row.path)
            }
          }}
        >
          {rows.map((r) => (
            <div
              key={idOf(r)}
              class="clip-row library-row"
              role="option"
              aria-selected={r === row}
              onClick={() => {
                chosen.value = idOf(r)
              }}
              onDblClick={() => mark(r.path)}
            >
              <Icon name={marked.value.includes(r.path) ? 'check' : 'file'} />
              <span title={r.path}>
                {r.name}
                <small class="muted"> {r.kind}</small>
              </span>
              <span class="num muted">{r.score === null ? `${fmt(r.speed, 1)} m/s` : fmt(r.score, 2)}</span>
            </div>
          ))}
          {found.data && !rows.length ? (
            <p class="muted library-none">No matches. Remove a word, or use a wider range.</p>
          ) : null}
        </div>
      </aside>
      <div class="library-centre">
        {shown && row ? (
          <Stretch key={idOf(row)} shown={shown} row={row} />
        ) : (
          <section class="clip-empty" aria-live="polite">
            {looked.failed ? <p>{looked.failed}</p> : <p class="muted">{row ? `Reading ${row.name} …` : ''}</p>}
          </section>
        )}
      </div>
      <aside class="panel divider-v" aria-label="Stretch">
        <div class="panel-head">
          <h2 class="panel-title">{row?.name ?? 'Stretch'}</h2>
          <span class="grow" />
          {row ? <span class="chip chip--accent">{row.kind}</span> : null}
        </div>
        <div class="panel-body">
          {row ? (
            <>
              <Section title="Stretch" end={`${fmt(row.seconds, 1)} s`}>
                <div class="facts">
                  <Fact label="Frames" value={`${row.start}–${row.start + row.frames}`} />
                  <Fact label="Speed" value={fmt(row.speed)} unit="m/s" />
                  <Fact label="Turn" value={signed(row.turn)} unit="°/s" />
                </div>
                <dl class="rows">
                  <Row label="Step">{row.step ? `${fmt(row.step)} m` : '–'}</Row>
                  <Row label="Slope">{signed(row.slope)}°</Row>
                  {shown ? <Row label="Height">{fmt(shown.height)} m</Row> : null}
                  {row.score === null ? null : <Row label="From the example">{fmt(row.score, 3)} legs</Row>}
                </dl>
              </Section>
              {row.words.length ? (
                <Section title="Words">
                  <div class="library-chips">
                    {row.words.map((w) => (
                      <button
                        type="button"
                        key={w}
                        class="chip"
                        aria-pressed={has(w) || has(`word:${w}`)}
                        onClick={() => toggle((KINDS as readonly string[]).includes(w) ? `word:${w}` : w)}
                      >
                        {w}
                      </button>
                    ))}
                  </div>
                </Section>
              ) : null}
              <Section title="File">
                <p class="muted library-path">{row.path}</p>
              </Section>
            </>
          ) : null}
        </div>
        <div class="panel-foot panel-foot--stack">
          <div class="button-row button-row--tight">
            <Button
              class="grow"
              title="Mark several, then add them together"
              disabled={!row}
              aria-pressed={row ? marked.value.includes(row.path) : false}
              onClick={() => row && mark(row.path)}
            >
              {row && marked.value.includes(row.path) ? 'Marked' : 'Mark'}
            </Button>
            <Button
              kind="primary"
              class="grow"
              disabled={!row}
              onClick={() => take(marked.value.length ? marked.value : row ? [row.path] : [])}
            >
              {marked.value.length > 1 ? `Add ${marked.value.length} to the project` : 'Add to the project'}
            </Button>
          </div>
          <CodeLine text={`mocapella library find '${(query || 'walk').replaceAll("'", "'\\''")}'`} />
        </div>
      </aside>
    </main>
  )
}

/** The stretch as it moves, its poses side by side, and its way from above. */
function Stretch({ shown, row }: { shown: Preview; row: LibraryRow }) {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    skeleton = skeletonOf(shown),
    points = int16(shown.poses),
    n = shown.way.length,
    [at, go] = useState(0),
    playing = useRef(true)
  useEffect(() => {
    let timer = 0,
      from = performance.now()
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    const tick = (now: number) => {
      timer = requestAnimationFrame(tick)
      if (!playing.current) {
        from = now
        return
      }
      go(Math.floor(((((now - from) / 1000) % Math.max(0.2, shown.seconds)) / Math.max(1e-6, shown.seconds)) * n) % n)
    }
    if (!calm) timer = requestAnimationFrame(tick)
    return () => cancelAnimationFrame(timer)
  }, [shown])
  const tall = Math.max(1, shown.height) * 1.12,
    strip = 128,
    room = Math.max(60, h - strip - 40),
    scale = (room * 0.82) / tall,
    count = Math.max(3, Math.min(24, Math.floor(w / 58)))
  const xs = shown.way.map((p) => p[0]),
    zs = shown.way.map((p) => p[1]),
    wide = Math.max(0.5, Math.max(...xs) - Math.min(...xs), Math.max(...zs) - Math.min(...zs)),
    side = Math.min(170, room * 0.45),
    k = side / wide
  const place = (p: readonly [number, number]): readonly [number, number] => [
    w - side - 32 + side / 2 - (p[0] - (Math.max(...xs) + Math.min(...xs)) / 2) * k,
    34 + side / 2 - (p[1] - (Math.max(...zs) + Math.min(...zs)) / 2) * k,
  ]
  const small = (strip - 44) / tall,
    X = (i: number) => 28 + (i * (w - 56)) / Math.max(1, count - 1)
  return (
    <div class="library-stretch" ref={attach}>
      {w > 100 ? (
        <svg
          viewBox={`0 0 ${w} ${h}`}
          width={w}
          height={h}
          role="img"
          aria-label={`${row.name}, ${row.kind}, ${fmt(shown.seconds, 1)} seconds. Click to pause or continue.`}
          onClick={() => {
            playing.current = !playing.current
          }}
        >
          <line class="tick" x1={24} x2={w - 24} y1={room} y2={room} />
          <Figure
            skeleton={skeleton}
            points={points}
            row={at}
            x={w / 2}
            y={room}
            scale={scale}
            turn={0.9}
            width={Math.max(3, scale / 34)}
          />
          <text class="tick-label" x={w - side - 32} y={22}>
            from above, {fmt(wide, 1)} m
          </text>
          <path class="curve curve--ink" d={line(shown.way.map(place))} />
          <circle class="library-here" cx={place(shown.way[at])[0]} cy={place(shown.way[at])[1]} r={5} />
          <g>
            {Array.from({ length: count }, (_, i) => (
              <Figure
                key={i}
                skeleton={skeleton}
                points={points}
                row={Math.round((i * (n - 1)) / Math.max(1, count - 1))}
                x={X(i)}
                y={h - 30}
                scale={small}
                turn={1.2}
                width={1.6}
                dim={Math.abs(i / (count - 1) - at / Math.max(1, n - 1)) > 0.6 / count}
              />
            ))}
          </g>
          {[0, 0.25, 0.5, 0.75, 1].map((u) => (
            <text key={u} class="tick-label" x={28 + u * (w - 56)} y={h - 8} text-anchor="middle">
              {fmt(u * shown.seconds, 1)} s
            </text>
          ))}
        </svg>
      ) : null}
    </div>
  )
}

function None() {
  return (
    <main class="workspace--library-none">
      <section class="clip-empty">
        <span class="hint-mark">
          <Icon name="search" />
        </span>
        <h1>No library is open</h1>
        <p>
          A library lists what hundreds of captures contain: walks, runs and turns, with speed and length. Make one from
          your folders, then open the studio with it.
        </p>
        <div class="library-lines">
          <CodeLine text="mocapella library add captures/" />
          <CodeLine text="mocapella studio --library mocapella-library" />
        </div>
      </section>
    </main>
  )
}

export const panel: Panel = { id: 'library', title: 'Library', order: 25, View: Library }
