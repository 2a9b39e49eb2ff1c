/** The frame round every workspace: bar, tabs, dialogs, messages, and files dropped anywhere. */
import { useSignalEffect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ExportDialog } from '../dialogs/export'
import { HelpDialog } from '../dialogs/help'
import { OpenDialog } from '../dialogs/open'
import { PythonDialog } from '../dialogs/python'
import { Button, NameField } from '../ui/controls'
import { Icon, Logo } from '../ui/icons'
import { DropCurtain } from './drop'
import { bindKeys } from './keys'
import { panels } from './panels'
import { PhoneView, usePhone } from './phone'
import {
  act,
  connection,
  dialog,
  jobs,
  project,
  recordedSeconds,
  recording,
  screen,
  store,
  theme,
  toasts,
  toast,
  writtenTo,
} from './store'

export function save(): void {
  void act({ type: 'save' }).then((done) => {
    if (done) toast(`Saved as ${project.value?.path || project.value?.name || 'project'}, in ${writtenTo.value}`)
  })
}

function Live() {
  const status = connection.status.value
  if (status !== 'live')
    return (
      <span class="live live--lost" role="status">
        {status === 'lost' ? 'reconnecting' : 'connecting'}
      </span>
    )
  const delay = connection.delay.value
  return (
    <span class="live" title="Connected: poses per second, and the delay of the last command">
      {connection.rate.value || '–'} Hz{delay > 0 && <span> · {delay.toFixed(1)} ms</span>}
    </span>
  )
}

function AppBar() {
  const p = project.value,
    current = screen.value
  return (
    <header class="app-bar">
      <div>
        <span class="brand">
          <Logo />
          <span class="brand-name">mocapella</span>
        </span>
        <span class="crumb">
          <NameField
            value={p?.name || 'untitled'}
            label="Name of the project"
            onChange={(name) => {
              void act({ type: 'rename', name })
            }}
          />
          {p && !p.saved && <i class="crumb-dot" title="Not saved yet" />}
        </span>
        {recording.value.recording && (
          <span class="chip chip--record" role="status">
            <Icon name="record" />
            {recordedSeconds.value.toFixed(0)} s
          </span>
        )}
      </div>
      <nav class="tabs" role="tablist" aria-label="Workspaces">
        {panels.map((panel) => (
          <a key={panel.id} class="tab" role="tab" href={`#${panel.id}`} aria-selected={panel.id === current}>
            {panel.title}
          </a>
        ))}
      </nav>
      <div class="app-bar-end">
        <Live />
        <Button
          kind="quiet"
          icon="undo"
          disabled={!p?.undo}
          aria-label="Undo, Ctrl Z"
          title={p?.undo ? `Undo: ${p.undo}` : 'Nothing to undo'}
          onClick={() => act({ type: 'undo' })}
        />
        <Button
          kind="quiet"
          icon="redo"
          disabled={!p?.redo}
          aria-label="Redo, Ctrl Shift Z"
          title={p?.redo ? `Redo: ${p.redo}` : 'Nothing to redo'}
          onClick={() => act({ type: 'redo' })}
        />
        <Button
          kind="quiet"
          icon="folder"
          aria-label="Open or add files"
          title="Open, choose files"
          onClick={() => {
            dialog.value = 'open'
          }}
        />
        <Button
          kind="quiet"
          icon={theme.value === 'dark' ? 'sun' : 'moon'}
          aria-label={theme.value === 'dark' ? 'Light theme' : 'Dark theme'}
          onClick={() => {
            theme.value = theme.value === 'dark' ? 'light' : 'dark'
            store('theme', theme.value)
          }}
        />
        <Button
          kind="quiet"
          icon="help"
          aria-label="Keys and help, question mark"
          title="Keys (?)"
          onClick={() => {
            dialog.value = 'help'
          }}
        />
        <Button
          kind="quiet"
          icon="code"
          aria-label="Copy as Python"
          onClick={() => {
            dialog.value = 'python'
          }}
        >
          <span class="wide-only">Python</span>
        </Button>
        <Button
          kind="primary"
          icon="export"
          onClick={() => {
            dialog.value = 'export'
          }}
        >
          Export
        </Button>
      </div>
    </header>
  )
}

function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {jobs.value
        .filter((job) => job.stage !== 'map')
        .map((job) => (
          <div class="toast toast--job" key={`job${job.job}`}>
            <span>{job.title}</span>
            <progress max={Math.max(1, job.total)} {...(job.total ? { value: job.done } : {})} aria-label={job.title} />
            <span class="muted num">
              {[job.total ? `${job.done} of ${job.total}` : '', job.about].filter(Boolean).join(' · ')}
            </span>
            <Button kind="quiet" size="sm" onClick={() => act({ type: 'cancel', job: job.job })}>
              Cancel
            </Button>
          </div>
        ))}
      {toasts.value.map((t) => (
        <div class={`toast toast--${t.level}`} key={t.id} {...(t.level === 'info' ? {} : { role: 'alert' })}>
          {t.level !== 'info' && <Icon name="warn" />}
          <span>
            {t.text}
            {t.link && (
              <>
                {' '}
                <a class="link" href={t.link.href} download={t.link.name}>
                  {t.link.name}
                </a>
              </>
            )}
            {t.helps && <span class="muted"> {t.helps}</span>}
          </span>
          <Button
            kind="quiet"
            icon="close"
            size="sm"
            aria-label="Close"
            onClick={() => {
              toasts.value = toasts.value.filter((x) => x.id !== t.id)
            }}
          />
        </div>
      ))}
      {connection.status.value === 'lost' && (
        <div class="toast toast--doubt" key="lost">
          <Icon name="warn" />
          <span>The server does not answer; trying again. The project is not lost.</span>
        </div>
      )}
    </div>
  )
}

function Dialogs() {
  const close = () => {
    dialog.value = ''
  }
  switch (dialog.value) {
    case 'export':
      return <ExportDialog onClose={close} />
    case 'help':
      return <HelpDialog onClose={close} />
    case 'python':
      return <PythonDialog onClose={close} />
    case 'open':
      return <OpenDialog onClose={close} />
    default:
      return null
  }
}

const GLOBAL = 'Project'

export function Shell() {
  const phone = usePhone()
  useSignalEffect(() => {
    document.title = `${project.value?.name || 'mocapella'} – mocapella studio`
  })
  useEffect(() => {
    const go = () => {
      screen.value = location.hash.slice(1) || 'stage'
    }
    addEventListener('hashchange', go)
    const off = bindKeys([
      { keys: ['ctrl+z'], as: 'Ctrl Z', group: GLOBAL, does: 'undo', run: () => void act({ type: 'undo' }) },
      {
        keys: ['ctrl+shift+z', 'ctrl+y'],
        as: 'Ctrl Shift Z',
        group: GLOBAL,
        does: 'redo',
        run: () => void act({ type: 'redo' }),
      },
      { keys: ['ctrl+s'], as: 'Ctrl S', group: GLOBAL, does: 'save', always: true, run: save },
      {
        keys: ['ctrl+o'],
        as: 'Ctrl O',
        group: GLOBAL,
        does: 'open',
        run: () => {
          dialog.value = 'open'
        },
      },
      {
        keys: ['ctrl+e'],
        as: 'Ctrl E',
        group: GLOBAL,
        does: 'export',
        run: () => {
          dialog.value = 'export'
        },
      },
      {
        keys: ['?'],
        as: '?',
        group: GLOBAL,
        does: 'this list',
        run: () => {
          dialog.value = dialog.value === 'help' ? '' : 'help'
        },
      },
    ])
    return () => {
      removeEventListener('hashchange', go)
      off()
    }
  }, [])
  const panel = panels.find((p) => p.id === screen.value) ?? panels[0]
  return (
    <>
      {phone ? (
        <PhoneView />
      ) : (
        <div class="app">
          <AppBar />
          <panel.View key={panel.id} />
        </div>
      )}
      <Toasts />
      <Dialogs />
      <DropCurtain />
    </>
  )
}
