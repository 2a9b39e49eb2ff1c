/** A phone: the stage in full, the network as a pad under the right thumb, or under both where it is held upright. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useProjectKeys, useStageKeys } from '../panels/stage'
import { clampTo, type Spot } from '../network/geometry'
import { calmWeights, follows, handle, hidden, open, scaleFor, sendPoint, sided, units, weights } from '../network/live'
import { NetworkMap } from '../network/map'
import { LiveStage } from '../stage/live'
import { Readouts } from '../stage/readouts'
import { useSteering } from '../stage/steering'
import { setPlaying, step, useTimeKeys } from '../stage/timeline'
import { useSize } from '../ui/controls'
import { percent, short } from '../ui/format'
import { Icon, Logo } from '../ui/icons'
import { block, connection, held, network, playing, project, theme, character, tell } from './store'

const QUERY = '(max-height: 480px), (max-width: 640px)'
const PAD = { l: 34, r: 10, t: 12, b: 26 }

export function usePhone(): boolean {
  const [phone, set] = useState(() => matchMedia(QUERY).matches)
  useEffect(() => {
    const media = matchMedia(QUERY),
      listen = () => set(media.matches)
    media.addEventListener('change', listen)
    return () => media.removeEventListener('change', listen)
  }, [])
  return phone
}

function Thumb() {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    down = useRef(false),
    b = block.value
  if (!b || !w || !h) return <div class="network-canvas" ref={attach} />
  const scale = scaleFor(w, h, PAD),
    spots: Spot[] = b.nodes.map((n) => [scale.x(n.at[0]), scale.y(n.at[1])])
  const move = (e: PointerEvent) => {
    const r = (e.currentTarget as Element).getBoundingClientRect(),
      c = clampTo([e.clientX - r.left, e.clientY - r.top], spots, open.value).at
    held.value = [scale.ux(c[0]), scale.uy(c[1])]
    sendPoint(held.value)
  }
  const end = () => {
    down.current = false
    held.value = null
  }
  return (
    <div class="network-canvas" ref={attach}>
      <svg
        class="network-map"
        viewBox={`0 0 ${w} ${h}`}
        width={w}
        height={h}
        role="group"
        aria-label="Pad: slide to steer"
        onPointerDown={(e) => {
          down.current = true
          e.currentTarget.setPointerCapture(e.pointerId)
          move(e)
        }}
        onPointerMove={(e) => {
          if (down.current) move(e)
        }}
        onPointerUp={end}
        onPointerCancel={end}
      >
        <NetworkMap
          w={w}
          h={h}
          block={b}
          scale={scale}
          pad={PAD}
          triangles={open.value}
          weights={weights.value}
          point={handle.value}
          follows={follows.value}
          hidden={hidden.value}
          units={units.value}
          sided={sided.value}
          theme={theme.value}
          compact
        />
      </svg>
    </div>
  )
}

export function PhoneView() {
  useSteering(() => null)
  useTimeKeys()
  useStageKeys()
  useProjectKeys()
  const rows = [...calmWeights.value].sort((p, q) => q.weight - p.weight).slice(0, 3),
    b = block.value
  const upright = innerHeight > innerWidth
  return (
    <main class={`phone${upright ? ' phone--upright' : ''}`}>
      <LiveStage
        key={upright}
        view={
          upright
            ? { distance: 12.8, pitch: 0.2, yaw: 0.72, shiftX: 0, shiftY: 0.42 }
            : { distance: 5.5, pitch: 0.24, yaw: 0.72, shiftX: -0.26, shiftY: 0 }
        }
      />
      <div class="phone-top">
        <span class="brand">
          <Logo />
        </span>
        <span class="phone-name">{project.value?.name || 'mocapella'}</span>
        <span class={`live${connection.status.value === 'live' ? '' : ' live--lost'}`}>
          {connection.status.value === 'live' ? `${connection.rate.value || '–'} Hz` : 'reconnecting'}
        </span>
      </div>
      <div class="phone-left">
        <Readouts brief />
        <div class="phone-acts">
          <button
            type="button"
            class="round round--primary"
            aria-label={playing.value ? 'Pause' : 'Play'}
            onClick={() => setPlaying(!playing.value)}
          >
            <Icon name={playing.value ? 'pause' : 'play'} />
          </button>
          <button type="button" class="round" aria-label="Frame on" onClick={() => step(1)}>
            <Icon name="step" />
          </button>
          {network.value?.modes
            .filter((m) => m.key)
            .slice(0, 3)
            .map((m) => (
              <button
                type="button"
                class="round"
                key={m.name}
                aria-label={m.name}
                onClick={() => tell({ type: 'press', key: m.key, character: character.value })}
              >
                {m.key.toUpperCase()}
              </button>
            ))}
        </div>
      </div>
      <div class="phone-pad">
        <Thumb />
        <div class="phone-weights">
          {b &&
            rows.map(({ node, weight }) => (
              <div class="phone-weight" key={node}>
                <b class="num">{percent(weight)}</b>
                {short(b.nodes[node].name)}
              </div>
            ))}
        </div>
      </div>
    </main>
  )
}
