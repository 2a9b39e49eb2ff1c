/** Where a captured change is joined: the network's pose and the change's, one laid over the other, with what they differ by. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef, useState } from 'preact/hooks'
import { bindKeys } from '../../app/keys'
import { act, live, network, people, playRate, tell, theme } from '../../app/store'
import { FRAME, type ArcDetails, type SeamView } from '../../messages'
import { hands } from '../../stage/hands'
import { Stage } from '../../stage/stage'
import { Button, Fact } from '../../ui/controls'
import { float32, fmt } from '../../ui/format'

const APART = 1.05 // metres from the middle to each seam
const SLOW = 0.1
/** Seen from the right side, so that both walk to the right: what is left first, then what is arrived at. */
const VIEW = { yaw: -1.35, pitch: 0.16, distance: 7.4, shiftX: 0, shiftY: 0.08 }

export function SeamOverlay({ arc, onClose }: { arc: ArcDetails; onClose: () => void }) {
  const canvas = useRef<HTMLCanvasElement>(null),
    tags = useRef<HTMLDivElement>(null),
    made = useRef<Stage | null>(null),
    [watching, watch] = useState(false)
  useSlow(watching, () => watch(false))
  useEffect(
    () => bindKeys([{ keys: ['escape'], as: 'Esc', group: 'Hybrid network', does: 'close the seams', run: onClose }]),
    [],
  )
  useEffect(() => {
    const person = people.get(network.value?.body ?? -1)
    if (!person) return undefined
    let stage: Stage
    try {
      stage = new Stage(canvas.current!, VIEW)
    } catch {
      return undefined
    }
    made.current = stage
    stage.camera.follow = false
    stage.show({ body: true, feet: false, trail: false })
    const joints: { seam: SeamView; id: string; index: number }[] = []
    arc.meets.forEach((seam, end) => {
      const rotations = float32(seam.rotations),
        n = person.skeleton.names.length
      seam.roots.forEach((root, which) => {
        const id = `${end} ${which}`
        stage.add(id, person.skeleton, person.body, 0.5, which === 1)
        stage.pose(id, {
          root: new Float64Array([
            root[0] - seam.roots[0][0],
            root[1],
            root[2] - seam.roots[0][2] + (end ? APART : -APART),
          ]),
          rotations: rotations.subarray(which * 4 * n, (which + 1) * 4 * n),
        })
      })
      joints.push({ seam, id: `${end} 0`, index: person.skeleton.names.indexOf(seam.most_joint) })
    })
    stage.onDraw = () =>
      joints.forEach(({ id, index }, i) => {
        const tag = tags.current?.children[i] as HTMLElement | undefined,
          p = stage.character(id)?.positions
        if (!tag || !p || index < 0) return
        const at = stage.screenOf(p[3 * index], p[3 * index + 1], p[3 * index + 2])
        tag.style.transform = `translate(${at.x.toFixed(0)}px, ${at.y.toFixed(0)}px)`
      })
    const release = hands(stage)
    stage.start()
    return () => {
      release()
      stage.dispose()
      made.current = null
    }
  }, [arc])
  useSignalEffect(() => {
    theme.value
    requestAnimationFrame(() => made.current?.recolour())
  })
  const play = () => {
    watch(true)
    void act({ type: 'trigger', arc: arc.name, times: 1, character: 0 }).then((done) => {
      if (!done) watch(false)
    })
  }
  return (
    <section class="seam-overlay" aria-label={`Seams of ${arc.name}`}>
      <canvas
        ref={canvas}
        tabindex={0}
        role="img"
        aria-label={`The two poses where ${arc.name} begins, and the two where it ends. Drag to look from another side.`}
      />
      <div class="seam-tags" ref={tags} aria-hidden="true">
        {arc.meets.map((m, i) => (
          <span class="seam-tag" key={i}>
            <i />
            {m.most_joint} <b class="num">{fmt(m.most_mm, 1)} mm</b>
          </span>
        ))}
      </div>
      <div class="seam-head">
        <strong>Seams of {arc.name}</strong>
        <span class="legend">
          <span>
            <i class="swatch swatch--ink" />
            network
          </span>
          <span>
            <i class="swatch swatch--accent" />
            captured change
          </span>
        </span>
        <span class="grow" />
        <Button
          size="sm"
          aria-pressed={watching}
          class={watching ? 'button--on' : ''}
          onClick={() => (watching ? watch(false) : play())}
        >
          {watching ? 'Playing slowly …' : 'Play it slowly'}
        </Button>
        <Button kind="quiet" size="sm" icon="close" aria-label="Close the seams, Esc" onClick={onClose} />
      </div>
      <div class="seam-cards">
        {arc.meets.map((m, i) => (
          <div class="seam-card" key={i} data-seam={i ? 'arrive' : 'leave'}>
            <div class="seam-card-head">
              <strong>{i ? 'Arriving' : 'Leaving'}</strong>
              <span class="muted">{i ? `frame ${m.frame} to ${m.block}` : `${m.block} to frame ${m.frame}`}</span>
            </div>
            <div class="facts">
              <Fact label="Joints, mean" value={fmt(m.mean_mm, 1)} unit="mm" />
              <Fact label={`${m.angle_joint}, most`} value={fmt(m.angle, 1)} unit="°" />
              <Fact label="Velocity, most" value={fmt(m.velocity, 0)} unit="°/s" />
            </div>
          </div>
        ))}
      </div>
    </section>
  )
}

/** Slow down where a change is joined: as it begins, and as it ends; then go on as before. */
function useSlow(watching: boolean, end: () => void): void {
  useEffect(() => {
    if (!watching) return undefined
    const before = playRate.peek()
    let seen = false,
      after = 0,
      slow = false
    const set = (on: boolean) => {
      if (on !== slow) {
        slow = on
        const rate = on ? SLOW : before
        playRate.value = rate
        tell({ type: 'play', playing: true, rate })
      }
    }
    const stop = live.subscribe((frame) => {
      const f = frame?.figures.find((one) => one.fields[FRAME.figure] === 0)?.fields
      if (!f) return
      const state = f[FRAME.state],
        progress = f[FRAME.progress]
      if (state === 2) {
        seen = true
        set(progress < 0.12 || progress > 0.9)
      } else if (seen) {
        set(true)
        if (++after > 90) end()
      } else set(false)
    })
    return () => {
      stop()
      set(false)
    }
  }, [watching])
}
