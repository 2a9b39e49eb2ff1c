/** Open what lies in the folder, or bring files of this machine. */
import { useEffect, useState } from 'preact/hooks'
import { chooseFiles } from '../app/drop'
import { act, connection, hello } from '../app/store'
import type { FileRow } from '../messages'
import { Button, Dialog } from '../ui/controls'
import { bytes } from '../ui/format'
import { Icon, type IconName } from '../ui/icons'

const MARK: Readonly<Record<FileRow['kind'], IconName>> = {
  folder: 'folder',
  motion: 'file',
  network: 'triangle',
  project: 'layers',
  other: 'file',
}

export function OpenDialog({ onClose }: { onClose: () => void }) {
  const [folder, go] = useState(''),
    [files, set] = useState<readonly FileRow[] | null>(null),
    [marked, mark] = useState<readonly string[]>([])
  useEffect(() => {
    let alive = true
    connection.ask({ type: 'files', path: folder }, 'folder').then(
      (m) => {
        if (alive) set(m.files.filter((f) => f.kind !== 'other'))
      },
      () => {
        if (alive) set([])
      },
    )
    return () => {
      alive = false
    }
  }, [folder])
  const take = (file: FileRow) => {
    if (file.kind === 'folder') {
      set(null)
      mark([])
      go(file.path)
    } else if (file.kind === 'motion')
      mark(marked.includes(file.path) ? marked.filter((p) => p !== file.path) : [...marked, file.path])
    else {
      void act({ type: 'open', path: file.path })
      onClose()
    }
  }
  const recent = hello.value?.recent ?? []
  const name = (path: string) => path.split('/').at(-1)
  return (
    <Dialog
      title="Open"
      onClose={onClose}
      foot={
        <>
          <Button
            size="lg"
            icon="folder"
            onClick={() => {
              chooseFiles()
              onClose()
            }}
            data-autofocus
          >
            Files of this machine
          </Button>
          <Button
            size="lg"
            onClick={() => {
              void act({ type: 'open', path: '' })
              onClose()
            }}
          >
            The actor
          </Button>
          <span class="grow" />
          <Button
            size="lg"
            kind="primary"
            disabled={!marked.length}
            onClick={() => {
              void act({ type: 'import', paths: [...marked] })
              onClose()
            }}
          >
            {marked.length ? `Add ${marked.length}` : 'Add'}
          </Button>
        </>
      }
    >
      <div class="open-body">
        <div class="open-path">
          <Icon name="folder" />
          <button type="button" class="link" onClick={() => go('')}>
            {hello.value?.folder || 'folder'}
          </button>
          {folder
            .split('/')
            .filter(Boolean)
            .map((part, i, all) => (
              <span key={part}>
                /{' '}
                <button type="button" class="link" onClick={() => go(all.slice(0, i + 1).join('/'))}>
                  {part}
                </button>
              </span>
            ))}
          {files?.some((f) => f.kind === 'motion') && (
            <button
              type="button"
              class="link"
              onClick={() => mark(files.filter((f) => f.kind === 'motion').map((f) => f.path))}
            >
              all motions
            </button>
          )}
        </div>
        <ul class="open-list" aria-label="Files">
          {(folder ? [] : recent).map((project) => (
            <li key={`recent ${project}`}>
              <button
                type="button"
                class="clip-row"
                onClick={() => {
                  void act({ type: 'open', recent: project })
                  onClose()
                }}
              >
                <Icon name="layers" />
                <span>{project}</span>
                <span class="muted">recent project</span>
              </button>
            </li>
          ))}
          {files?.map((file) => (
            <li key={file.path}>
              <button
                type="button"
                class="clip-row"
                {...(file.kind === 'motion' ? { 'aria-pressed': marked.includes(file.path) } : {})}
                onClick={() => take(file)}
              >
                <Icon name={MARK[file.kind]} />
                <span>{name(file.path)}</span>
                <span class="num muted">{file.kind === 'folder' ? 'folder' : bytes(file.bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
        {files?.length === 0 && (
          <p class="muted open-empty">
            There are no motion files in this folder. You can also drop files anywhere on the page.
          </p>
        )}
      </div>
    </Dialog>
  )
}
