/** Judging by eye: two motions side by side, in random order and without names; answers as CSV. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Body, Skeleton } from '../stage/figure'
import type { Stage } from '../stage/stage'
import { counted } from '../ui/format'
import { Icon } from '../ui/icons'
import type { JudgeContent } from './content'
import { publish } from './handle'
import { StageBox, switchTheme } from './shell'
import type { Take } from './take'

interface Trial {
  left: number
  right: number
}
export interface Answer extends Trial {
  preferred: 'left' | 'right' | 'none'
  reasons: string[]
  comment: string
  looked: number
  when: string
}

const REASONS = [
  'feet slide',
  'jerky',
  'weight and balance',
  'rhythm',
  'posture',
  'arms',
  'legs and knees',
  'path',
  'more alive',
]

/** Every pair as often as asked, each order as often as the other, in random order. */
export function trialsOf(pairs: readonly [number, number][], rounds: number, random: () => number): Trial[] {
  const trials: Trial[] = []
  for (const [a, b] of pairs) {
    const first = random() < 0.5
    for (let i = 0; i < rounds; i++)
      trials.push((i % 2 === 0) === first ? { left: a, right: b } : { left: b, right: a })
  }
  for (let i = trials.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[trials[i], trials[j]] = [trials[j], trials[i]]
  }
  return trials
}

const field = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text)

export function csvOf(answers: readonly Answer[], names: readonly string[], judge: string): string {
  const rows = answers.map((a, i) => [
    judge,
    String(i + 1),
    names[a.left],
    names[a.right],
    a.preferred === 'none' ? '' : names[a.preferred === 'left' ? a.left : a.right],
    a.preferred,
    a.reasons.join('; '),
    a.comment,
    a.looked.toFixed(1),
    a.when,
  ])
  return (
    [['judge', 'trial', 'left', 'right', 'preferred', 'side', 'reasons', 'comment', 'seconds', 'time'], ...rows]
      .map((row) => row.map(field).join(','))
      .join('\r\n') + '\r\n'
  )
}

function save(name: string, text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

export function JudgePage({
  content,
  takes,
  bodies,
}: {
  content: JudgeContent
  takes: Take[]
  bodies: { skeleton: Skeleton; body: Body }[]
}) {
  const trials = useMemo(() => trialsOf(content.pairs, content.rounds, Math.random), [])
  const [answers, setAnswers] = useState<Answer[]>([]),
    [judge, setJudge] = useState(''),
    [preferred, setPreferred] = useState<Answer['preferred'] | null>(null)
  const [reasons, setReasons] = useState<string[]>([]),
    [comment, setComment] = useState(''),
    [playing, setPlaying] = useState(true),
    [began, setBegan] = useState(() => performance.now())
  const names = takes.map((t) => t.name),
    csv = csvOf(answers, names, judge),
    trial = trials[answers.length]
  const next = () => {
    if (!preferred || !trial) return
    setAnswers([
      ...answers,
      {
        ...trial,
        preferred,
        reasons,
        comment: comment.trim(),
        looked: (performance.now() - began) / 1000,
        when: new Date().toISOString(),
      },
    ])
    setPreferred(null)
    setReasons([])
    setComment('')
    setBegan(performance.now())
    setPlaying(true)
  }
  useEffect(() => {
    const down = (e: KeyboardEvent) => {
      if (/^(INPUT|TEXTAREA)$/.test((e.target as HTMLElement).tagName) || !trial) return
      if (e.key === 'ArrowLeft') setPreferred('left')
      else if (e.key === 'ArrowRight') setPreferred('right')
      else if (e.key === 'ArrowDown') setPreferred('none')
      else if (e.key === 'Enter' && (e.target as HTMLElement).tagName !== 'BUTTON') next()
      else if (e.key === ' ' && (e.target as HTMLElement).tagName !== 'BUTTON') setPlaying(!playing)
      else return
      e.preventDefault()
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  })
  useEffect(() => publish({ csv: () => csv }), [csv])
  if (!trial) return <Done count={answers.length} csv={csv} title={content.title} />
  const side = (at: 'left' | 'right') => (
    <div class="judge-side" data-chosen={preferred === at ? '' : undefined}>
      <JudgeStage
        key={`${answers.length}.${at}`}
        take={takes[trial[at]]}
        {...bodies[trial[at]]}
        playing={playing}
        label={at === 'left' ? 'The motion on the left' : 'The motion on the right'}
      />
      <span class="judge-letter" aria-hidden="true">
        {at === 'left' ? '1' : '2'}
      </span>
    </div>
  )
  return (
    <main class="page page--judge">
      <header class="judge-head">
        <div>
          <h1>{content.question}</h1>
          <p class="muted">
            Look as long as you like; drag to see another side. The order is random, names are hidden.
          </p>
        </div>
        <div class="judge-count">
          <span class="num">
            {answers.length + 1} of {trials.length}
          </span>
          <div class="weight-bar">
            <i style={{ width: `${(100 * answers.length) / trials.length}%` }} />
          </div>
        </div>
        <button
          class="button button--quiet button--icon"
          aria-label={playing ? 'Pause, space' : 'Play, space'}
          onClick={() => setPlaying(!playing)}
        >
          <Icon name={playing ? 'pause' : 'play'} />
        </button>
        <button class="button button--quiet button--icon" aria-label="Dark or light" onClick={switchTheme}>
          <Icon name="sun" />
        </button>
      </header>
      <div class="judge-stages">
        {side('left')}
        {side('right')}
      </div>
      <footer class="judge-foot">
        <div class="judge-choice" role="radiogroup" aria-label={content.question}>
          {(
            [
              ['left', '1, the left one', '←'],
              ['none', 'No difference', '↓'],
              ['right', '2, the right one', '→'],
            ] as const
          ).map(([value, text, key]) => (
            <button
              key={value}
              class="judge-button"
              role="radio"
              aria-checked={preferred === value}
              onClick={() => setPreferred(value)}
            >
              {text}
              <span class="kbd">{key}</span>
            </button>
          ))}
        </div>
        <div class="judge-why">
          <div class="judge-reasons" role="group" aria-label="Why">
            {REASONS.map((r) => (
              <button
                key={r}
                class="chip judge-reason"
                aria-pressed={reasons.includes(r)}
                onClick={() => setReasons(reasons.includes(r) ? reasons.filter((x) => x !== r) : [...reasons, r])}
              >
                {r}
              </button>
            ))}
          </div>
          <input
            class="field"
            placeholder="In your own words"
            aria-label="Why, in your own words"
            value={comment}
            maxLength={500}
            onInput={(e) => setComment(e.currentTarget.value)}
          />
        </div>
        <div class="judge-next">
          <input
            class="field"
            placeholder="Your name, if you like"
            aria-label="Your name"
            value={judge}
            maxLength={80}
            onInput={(e) => setJudge(e.currentTarget.value)}
          />
          <button class="button button--primary button--lg" disabled={!preferred} onClick={next}>
            {answers.length + 1 === trials.length ? 'Finish' : 'Next'}
          </button>
          {answers.length ? (
            <button class="link" onClick={() => save(fileName(content.title), csv)}>
              Save {answers.length} so far
            </button>
          ) : null}
        </div>
      </footer>
    </main>
  )
}

const fileName = (title: string) => `${title.replace(/[^\w-]+/g, '-') || 'judging'}-answers.csv`

function JudgeStage({
  take,
  skeleton,
  body,
  playing,
  label,
}: {
  take: Take
  skeleton: Skeleton
  body: Body
  playing: boolean
  label: string
}) {
  const live = useRef(playing)
  live.current = playing
  const ready = (stage: Stage) => {
    let time = 0
    stage.add(0, skeleton, body)
    stage.show({ feet: false, trail: false })
    const show = () => {
      const { pose, held } = take.at(time)
      stage.pose(0, pose, { time, held })
    }
    stage.onFrame = (dt) => {
      if (!live.current) return
      time += dt
      if (time > take.end) {
        time = 0
        stage.camera.reset()
      }
      show()
    }
    show()
  }
  return <StageBox ready={ready} label={label} view={{ shiftX: 0 }} />
}

function Done({ count, csv, title }: { count: number; csv: string; title: string }) {
  return (
    <main class="page page--done">
      <div class="refusal-card">
        <h1>Thank you: {counted(count, 'answer')}.</h1>
        <p class="muted">Nothing was sent anywhere. Save the file and send it to the person who asked you.</p>
        <div class="judge-actions">
          <button class="button button--primary button--lg" onClick={() => save(fileName(title), csv)}>
            <Icon name="export" />
            Save as CSV
          </button>
          <button
            class="button button--lg"
            onClick={() => {
              void navigator.clipboard?.writeText(csv)
            }}
          >
            Copy
          </button>
        </div>
        <pre class="judge-csv">{csv}</pre>
      </div>
    </main>
  )
}
