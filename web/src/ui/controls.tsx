/** Controls that every panel uses; how they look is in studio.css. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Icon, type IconName } from './icons'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'icon' | 'size'> & {
  icon?: IconName
  kind?: 'plain' | 'primary' | 'quiet'
  size?: 'sm' | 'md' | 'lg'
  children?: ComponentChildren
}
export function Button({ icon, kind = 'plain', size = 'md', children, class: more, ...rest }: ButtonProps) {
  const name = [
    'button',
    kind !== 'plain' && `button--${kind}`,
    size !== 'md' && `button--${size}`,
    icon && !children && 'button--icon',
    more,
  ]
    .filter(Boolean)
    .join(' ')
  return (
    <button type="button" class={name} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A tool of a toolbar; `pressed` makes it a toggle. */
export function Tool({
  icon,
  label,
  pressed,
  hint,
  text,
  ...rest
}: Omit<JSX.IntrinsicElements['button'], 'icon'> & {
  icon: IconName
  label: string
  pressed?: boolean
  hint?: string
  text?: string
}) {
  const title = hint ? `${label} (${hint})` : label
  return (
    <button
      type="button"
      class="tool"
      title={title}
      {...(text ? {} : { 'aria-label': title })}
      {...(pressed === undefined ? {} : { 'aria-pressed': pressed })}
      {...rest}
    >
      <Icon name={icon} />
      {text}
    </button>
  )
}

export function Switch({
  on,
  label,
  onChange,
  disabled,
}: {
  on: boolean
  label: string
  onChange: (on: boolean) => void
  disabled?: boolean
}) {
  return (
    <button
      type="button"
      role="switch"
      class={`switch${on ? ' switch--on' : ''}`}
      aria-checked={on}
      aria-label={label}
      disabled={disabled ?? false}
      onClick={() => onChange(!on)}
    />
  )
}

export function Segmented<T extends string>({
  value,
  options,
  label,
  onChange,
}: {
  value: T
  options: readonly (readonly [T, string])[]
  label: string
  onChange: (value: T) => void
}) {
  return (
    <div class="segmented" role="group" aria-label={label}>
      {options.map(([id, name]) => (
        <button type="button" key={id} class="tab" aria-pressed={id === value} onClick={() => onChange(id)}>
          {name}
        </button>
      ))}
    </div>
  )
}

export function Select<T extends string>({
  value,
  options,
  label,
  onChange,
  disabled,
}: {
  value: T
  options: readonly (readonly [T, string])[]
  label: string
  onChange: (value: T) => void
  disabled?: boolean
}) {
  return (
    <span class="field field--select">
      <select
        class="select"
        value={value}
        aria-label={label}
        disabled={disabled ?? false}
        onChange={(e) => onChange(e.currentTarget.value as T)}
      >
        {options.map(([id, name]) => (
          <option key={id} value={id} selected={id === value}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </span>
  )
}

export function Slider({
  value,
  min,
  max,
  step = 1,
  label,
  text,
  onInput,
  onDone,
}: {
  value: number
  min: number
  max: number
  step?: number
  label: string
  text?: string
  onInput: (value: number) => void
  onDone?: (value: number) => void
}) {
  const fill = max > min ? ((value - min) / (max - min)) * 100 : 0
  return (
    <span class="slider">
      <input
        type="range"
        value={value}
        min={min}
        max={max}
        step={step}
        aria-label={label}
        {...(text ? { 'aria-valuetext': text } : {})}
        ref={(e) => {
          e?.style.setProperty('--fill', `${fill}%`)
        }}
        onInput={(e) => onInput(e.currentTarget.valueAsNumber)}
        onChange={(e) => onDone?.(e.currentTarget.valueAsNumber)}
      />
    </span>
  )
}

/** A number to be written in: Enter or leaving takes it, Escape puts it back. */
export function NumberField({
  value,
  label,
  unit,
  digits = 2,
  onChange,
}: {
  value: number
  label: string
  unit?: string
  digits?: number
  onChange: (value: number) => void
}) {
  return (
    <span class="field field--number">
      <input
        class="num"
        inputMode="decimal"
        aria-label={label}
        key={value}
        defaultValue={value.toFixed(digits)}
        onFocus={(e) => e.currentTarget.select()}
        onKeyDown={(e) => {
          if (e.key === 'Enter') e.currentTarget.blur()
          if (e.key === 'Escape') {
            e.currentTarget.value = value.toFixed(digits)
            e.currentTarget.blur()
          }
        }}
        onBlur={(e) => {
          const v = Number(e.currentTarget.value.replace('−', '-').replace(',', '.'))
          if (Number.isFinite(v) && v !== value) onChange(v)
          else e.currentTarget.value = value.toFixed(digits)
        }}
      />
      {unit && <small class="muted">{unit}</small>}
    </span>
  )
}

/** A name that can be written over in place. */
export function NameField({
  value,
  label,
  onChange,
}: {
  value: string
  label: string
  onChange: (value: string) => void
}) {
  return (
    <input
      class="name-field"
      key={value}
      defaultValue={value}
      aria-label={label}
      spellcheck={false}
      maxLength={200}
      onKeyDown={(e) => {
        if (e.key === 'Enter') e.currentTarget.blur()
        if (e.key === 'Escape') {
          e.currentTarget.value = value
          e.currentTarget.blur()
        }
      }}
      onBlur={(e) => {
        const v = e.currentTarget.value.trim()
        if (v && v !== value) onChange(v)
        else e.currentTarget.value = value
      }}
    />
  )
}

const TOKENS =
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(-?\b\d+(?:\.\d+)?\b|\bTrue\b|\bFalse\b|\bNone\b)|(#.*$)|(\.?\b[A-Za-z_]\w*(?=\())/gm
export function Python({ text }: { text: string }) {
  const out: ComponentChildren[] = []
  let last = 0
  for (const m of text.matchAll(TOKENS)) {
    out.push(text.slice(last, m.index))
    out.push(<span class={m[1] ? 'tok-str' : m[2] ? 'tok-num' : m[3] ? 'muted' : 'tok-name'}>{m[0]}</span>)
    last = m.index + m[0].length
  }
  return (
    <>
      {out}
      {text.slice(last)}
    </>
  )
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    /* pages of another machine may not use the clipboard */
  }
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [copied, set] = useState(false)
  return (
    <Button
      kind="quiet"
      size="sm"
      onClick={async () => {
        if (await copyText(text)) {
          set(true)
          setTimeout(() => set(false), 1500)
        }
      }}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}

/** One line of Python with a button that copies it: the foot of a panel. */
export function CodeLine({ text }: { text: string }) {
  return (
    <div class="code-line">
      <code title={text}>
        <Python text={text.replace(/\n+/g, '; ')} />
      </code>
      <CopyButton text={text} />
    </div>
  )
}

export const Fact = ({ label, value, unit = '' }: { label: string; value: ComponentChildren; unit?: string }) => (
  <div>
    <div class="fact-label">{label}</div>
    <div class="fact-value num">
      {value}
      <small>{unit}</small>
    </div>
  </div>
)

export const Row = ({ label, children }: { label: string; children?: ComponentChildren }) => (
  <div class="row">
    <dt>{label}</dt>
    <dd class="num">{children}</dd>
  </div>
)

export function Section({
  title,
  end,
  children,
}: {
  title: string
  end?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <div class="section">
      <h3 class="section-title">
        <span>{title}</span>
        <span class="num">{end}</span>
      </h3>
      {children}
    </div>
  )
}

export function Note({ warn, children }: { warn?: boolean; children?: ComponentChildren }) {
  return (
    <div class={`note${warn ? ' note--warn' : ''}`} {...(warn ? { role: 'status' } : {})}>
      <Icon name={warn ? 'warn' : 'check'} />
      <div>{children}</div>
    </div>
  )
}

/** A dialog over the page: focus stays in it, Escape and the scrim close it, and focus returns where it was. */
export function Dialog({
  title,
  onClose,
  children,
  foot,
  wide = false,
}: {
  title: string
  onClose: () => void
  children?: ComponentChildren
  foot?: ComponentChildren
  wide?: boolean
}) {
  const id = useId(),
    box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    for (const wish of ['[data-autofocus]', '.dialog-body button, .dialog-body input, .dialog-body select', 'button']) {
      const first = box.current?.querySelector<HTMLElement>(wish)
      if (first) {
        first.focus()
        break
      }
    }
    return () => before?.focus()
  }, [])
  const keep = (e: KeyboardEvent) => {
    if (e.key === 'Escape') {
      e.preventDefault()
      e.stopPropagation()
      onClose()
      return
    }
    if (e.key !== 'Tab' || !box.current) return
    const all = [
      ...box.current.querySelectorAll<HTMLElement>('button, [href], input, select, textarea, [tabindex="0"]'),
    ].filter((x) => !x.hasAttribute('disabled'))
    const first = all[0],
      last = all.at(-1)
    if (e.shiftKey && document.activeElement === first) {
      e.preventDefault()
      last?.focus()
    } else if (!e.shiftKey && document.activeElement === last) {
      e.preventDefault()
      first?.focus()
    }
  }
  return (
    <div
      class="scrim"
      onPointerDown={(e) => {
        if (e.target === e.currentTarget) onClose()
      }}
    >
      <div
        ref={box}
        class={`dialog${wide ? '' : ' dialog--narrow'}`}
        role="dialog"
        aria-modal="true"
        aria-labelledby={id}
        onKeyDown={keep}
      >
        <div class="dialog-head">
          <h1 id={id}>{title}</h1>
          <Button kind="quiet" icon="close" aria-label="Close, Esc" onClick={onClose} />
        </div>
        <div class="dialog-body">{children}</div>
        <div class="dialog-foot">{foot}</div>
      </div>
    </div>
  )
}

/** Size of an element, kept up to date: pictures in SVG are drawn to fit. */
export function useSize<T extends Element>(): [(e: T | null) => void, { w: number; h: number }] {
  const [size, set] = useState({ w: 0, h: 0 }),
    observer = useRef<ResizeObserver | null>(null)
  const attach = useRef((e: T | null) => {
    observer.current?.disconnect()
    if (!e) return
    const read = () =>
      set((old) =>
        old.w === e.clientWidth && old.h === e.clientHeight ? old : { w: e.clientWidth, h: e.clientHeight },
      )
    observer.current = new ResizeObserver(read)
    observer.current.observe(e)
    read()
  })
  return [attach.current, size]
}
