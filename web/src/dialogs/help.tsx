/** What the keys do: the list behind `?`. */
import { allKeys, bound } from '../app/keys'
import { hello } from '../app/store'
import { Button, Dialog } from '../ui/controls'

export function HelpDialog({ onClose }: { onClose: () => void }) {
  void bound.value
  const groups = new Map<string, Map<string, string>>()
  for (const key of allKeys()) {
    const group = groups.get(key.group) ?? new Map<string, string>()
    groups.set(key.group, group)
    if (!group.has(key.does)) group.set(key.does, key.as ?? key.keys.map((k) => k.toUpperCase()).join(' '))
  }
  return (
    <Dialog
      title="Keys"
      wide
      onClose={onClose}
      foot={
        <>
          <span class="muted grow">mocapella {hello.value?.version}</span>
          <Button size="lg" onClick={onClose} data-autofocus>
            Close
          </Button>
        </>
      }
    >
      <div class="help-groups">
        {[...groups].map(([group, keys]) => (
          <section key={group}>
            <h2 class="section-title">
              <span>{group}</span>
            </h2>
            <dl class="help-keys">
              {[...keys].map(([does, as]) => (
                <div key={does}>
                  <dt>
                    {as.split(' ').map((k) => (
                      <span class="kbd" key={k}>
                        {k}
                      </span>
                    ))}
                  </dt>
                  <dd>{does}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <h2 class="section-title">
            <span>Pointer</span>
          </h2>
          <dl class="help-keys">
            <div>
              <dt>drag in the map</dt>
              <dd>move the blending point</dd>
            </div>
            <div>
              <dt>drag a node</dt>
              <dd>move it; Alt: without snapping, Esc: undo the move</dd>
            </div>
            <div>
              <dt>double click a node</dt>
              <dd>rename it</dd>
            </div>
            <div>
              <dt>drag the stage</dt>
              <dd>turn the camera; wheel or pinch zooms</dd>
            </div>
            <div>
              <dt>gamepad</dt>
              <dd>the left stick steers, the right one turns the camera</dd>
            </div>
          </dl>
        </section>
      </div>
    </Dialog>
  )
}
