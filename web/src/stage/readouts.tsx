/** Live numbers over the stage: had, asked, and how far feet slide. */
import { calmHero } from '../app/store'
import { FRAME } from '../messages'
import { fmt, signed } from '../ui/format'

function Readout({ label, value, unit, note }: { label: string; value: string; unit: string; note: string }) {
  return (
    <div class="readout">
      <div class="readout-label">{label}</div>
      <div class="readout-value num">
        {value}
        <small>{unit}</small>
      </div>
      <div class="readout-note num">{note}</div>
    </div>
  )
}

export function Readouts({ brief = false }: { brief?: boolean }) {
  const f = calmHero.value?.fields
  const get = (k: keyof typeof FRAME) => f?.[FRAME[k]] ?? NaN
  return (
    <div class="readouts" role="group" aria-label="Live">
      <Readout label="Speed" value={fmt(get('speed'))} unit="m/s" note={`asked ${fmt(get('asked_speed'))}`} />
      <Readout label="Turn" value={signed(get('turn'))} unit="°/s" note={`asked ${signed(get('asked_turn'))}`} />
      <Readout
        label={brief ? 'Slip' : 'Foot slip, worst'}
        value={fmt(get('slip'))}
        unit="mm"
        note={`mean ${fmt(get('slip_mean'))}${brief ? '' : ' mm'}`}
      />
    </div>
  )
}
