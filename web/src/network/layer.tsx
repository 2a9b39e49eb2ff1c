/** What a layer of the map shows: its scale, its worst spot, and what helps there. */
import type { Request } from '../app/connection'
import { act, block, jobs, layer, maps } from '../app/store'
import { Button, Section } from '../ui/controls'
import { fmt, signed } from '../ui/format'
import { Icon } from '../ui/icons'
import { sendPoint, sided, units } from './live'

export function LayerNote() {
  const b = block.value,
    map = layer.value && b ? maps.value[`${layer.value}:${b.name}`] : null
  if (!layer.value) return null
  if (!map)
    return (
      <Section title={layer.value === 'slip' ? 'Slip' : 'Distortion'}>
        <Making />
      </Section>
    )
  const digits = map.most < 0.5 ? 3 : map.most < 20 ? 2 : 1
  return (
    <Section title={map.layer === 'slip' ? 'Slip' : 'Distortion'} end={`mean ${fmt(map.mean, digits)} ${map.unit}`}>
      <div class="layer-note">
        <div class="layer-scale">
          <span class="muted num">0</span>
          <i class="ramp" />
          <span class="muted num">
            {fmt(map.most, digits)} {map.unit}
          </span>
        </div>
        <div class="layer-worst">
          <Icon name="target" />
          <span>
            Worst at {sided.value ? signed(map.worst[0]) : fmt(map.worst[0])} {units.value[0]}, {fmt(map.worst[1])}{' '}
            {units.value[1]}. {reason(map.why)}
          </span>
        </div>
        <div class="layer-acts">
          <Button size="sm" onClick={() => sendPoint(map.worst)}>
            Go there
          </Button>
          {map.remedies
            .filter((r) => r.title !== 'Go there')
            .map((r) =>
              r.command ? (
                <Button size="sm" key={r.title} title={r.text} onClick={() => act(r.command as Request)}>
                  {r.title}
                </Button>
              ) : (
                <span class="muted" key={r.title} title={r.text}>
                  {r.title}
                </span>
              ),
            )}
        </div>
      </div>
    </Section>
  )
}

/** A sentence of its own; the place was named before. */
function reason(why: string): string {
  const text = why.replace(/^[-+−\d., ]+:\s*/, '')
  return text ? `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}` : ''
}

function Making() {
  const job = jobs.value.find((j) => j.stage === 'map')
  return (
    <div class="layer-scale">
      <span class="muted">Computing the map …</span>
      <progress aria-label="Computing the map" {...(job && job.total > 1 ? { value: job.done, max: job.total } : {})} />
      {job && (
        <Button
          size="sm"
          onClick={() =>
            act({ type: 'cancel', job: job.job }).then(() => {
              layer.value = ''
            })
          }
        >
          Cancel
        </Button>
      )}
    </div>
  )
}
