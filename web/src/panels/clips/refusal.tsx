/** A file that was not read: where, what was expected, what stands there, and what helps. */
import { chooseFiles } from '../../app/drop'
import { act, refusals } from '../../app/store'
import type { Request } from '../../app/connection'
import type { ClipRow, Refusal, Remedy } from '../../messages'
import { Button } from '../../ui/controls'
import { Icon } from '../../ui/icons'

export function RefusalCard({
  refusal,
  clips: all,
  count,
  name: own,
}: {
  refusal: Refusal
  clips: readonly ClipRow[]
  count: number
  name: string
}) {
  const name = refusal.path.split('/').at(-1) ?? refusal.path,
    clips = all.filter((c) => c.state !== 'refused')
  const leave = () => {
    if (own) void act({ type: 'remove_clip', clip: own })
    refusals.value = refusals.value.filter((r) => r.path !== refusal.path)
  }
  const got = refusal.got || (/found '([^']*)'/.exec(refusal.message)?.[1] ?? '')
  const indent = Math.min(
    ...refusal.lines.filter(([, text]) => text.trim()).map(([, text]) => text.search(/\S/)),
    Infinity,
  ) // deep hierarchies stand far to the right
  const lines = refusal.lines.map(([n, text]) => [n, text.trim() ? text.slice(indent) : ''] as const)
  const remedies: Pick<Remedy, 'title' | 'text' | 'command'>[] = refusal.remedies.length
    ? refusal.remedies
    : [
        {
          title: 'Choose another file',
          text: 'Export the take again, or repair the file and drop it again.',
          command: null,
        },
        {
          title: 'Continue without it',
          text: clips.length
            ? 'The network is built from the other clips. You can add this one later by dropping it on the network.'
            : 'The character on the stage does not change.',
          command: null,
        },
      ]
  return (
    <div class="refusal" role="alert">
      <div class="refusal-card">
        <div class="refusal-title">
          <span class="refusal-mark">
            <Icon name="stop" />
          </span>
          <div>
            <h1>{name} was not read</h1>
            <span class="muted">
              {clips.length} of {count} files were read{clips.length ? '; the network was built without this one' : ''}.
            </span>
          </div>
        </div>
        <div>
          <p class="refusal-say">
            {refusal.line > 0 ? <strong>Line {refusal.line}: </strong> : null}
            {refusal.expected ? (
              <>
                expected {refusal.expected}, found <code>{refusal.got}</code>.
              </>
            ) : (
              refusal.message
            )}
          </p>
          {lines.length ? (
            <div class="file-lines">
              {lines.map(([n, text]) => (
                <div key={n} class={`file-line${n === refusal.line ? ' file-line--bad' : ''}`}>
                  <b>{n}</b>
                  <span>{n === refusal.line ? marked(text, got) : text}</span>
                </div>
              ))}
            </div>
          ) : null}
        </div>
        <div class="remedies">
          <h2 class="section-title">
            <span>What helps</span>
          </h2>
          {remedies.map((r, i) => (
            <div class="remedy" key={i}>
              <div>
                <strong>{r.title}</strong>
                <span>{r.text}</span>
              </div>
              {r.command ? (
                <Button
                  kind={i ? 'plain' : 'primary'}
                  onClick={async () => {
                    if (await act(r.command as Request)) leave()
                  }}
                >
                  Apply
                </Button>
              ) : /without/i.test(r.title) ? (
                <Button onClick={leave}>Leave out</Button>
              ) : /again|another/i.test(r.title) ? (
                <Button kind={i ? 'plain' : 'primary'} onClick={() => chooseFiles()}>
                  {/^repair/i.test(r.title) ? 'Choose the repaired file' : 'Choose another file'}
                </Button>
              ) : null}
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

/** The words at fault stand out in their line; long lines show the part around them. */
function marked(text: string, got: string) {
  const words = got.replace(/^['"]|['"]$/g, ''),
    at = words ? text.indexOf(words) : -1
  if (at < 0) return text
  const from = Math.max(0, at - 48)
  return (
    <>
      {from ? '… ' : ''}
      {text.slice(from, at)}
      <mark>{words}</mark>
      {text.slice(at + words.length)}
    </>
  )
}
