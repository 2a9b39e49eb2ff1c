/** Copy as Python: the project as a script that runs, and the line of every action. */
import { useEffect, useState } from 'preact/hooks'
import { connection, lines, project } from '../app/store'
import { Button, CopyButton, Dialog, Python } from '../ui/controls'

export function PythonDialog({ onClose }: { onClose: () => void }) {
  const [script, set] = useState(''),
    [failed, fail] = useState('')
  const revision = project.value?.revision
  useEffect(() => {
    let alive = true
    connection.ask({ type: 'script' }, 'script').then(
      (m) => {
        if (alive) set(m.text)
      },
      (e: Error) => {
        if (alive) fail(e.message)
      },
    )
    return () => {
      alive = false
    }
  }, [revision])
  return (
    <Dialog
      title="As Python"
      wide
      onClose={onClose}
      foot={
        <>
          <span class="muted grow">
            Run it in the same folder: <code>python {project.value?.name || 'project'}.py</code>
          </span>
          <CopyButton text={script} label="Copy all" />
          <Button size="lg" onClick={onClose}>
            Close
          </Button>
        </>
      }
    >
      <div class="python-body">
        <section>
          <h2 class="section-title">
            <span>The project</span>
          </h2>
          <pre class="script" tabindex={0} data-autofocus aria-label="Script of the project">
            {failed || <Python text={script} />}
          </pre>
        </section>
        <section>
          <h2 class="section-title">
            <span>Actions so far</span>
            <span class="num">{lines.value.length}</span>
          </h2>
          <ol class="script-lines">
            {[...lines.value].reverse().map((line, i) => (
              <li key={lines.value.length - i}>
                <code>
                  <Python text={line} />
                </code>
                <CopyButton text={line} />
              </li>
            ))}
          </ol>
          {!lines.value.length && <p class="muted">Every action appears here as a line of Python.</p>}
        </section>
      </div>
    </Dialog>
  )
}
