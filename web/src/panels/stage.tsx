/** The stage: the character, steered, with the network and what it makes beside it. */
import { useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { chooseFiles } from '../app/drop'
import { bindKeys, type Key } from '../app/keys'
import type { Panel } from '../app/panels'
import {
  act,
  beside,
  block,
  character,
  compared,
  dialog,
  drawing,
  hero,
  network,
  project,
  recording,
  shown,
  tell,
  welcomed,
} from '../app/store'
import { FRAME } from '../messages'
import { NetworkEditor } from '../network/editor'
import { Inspector } from '../network/inspector'
import { film, filming, savePicture } from '../stage/film'
import { LiveStage } from '../stage/live'
import { drawOn, endPath, pathSpeed, showPaths, speedRange } from '../stage/path'
import { Readouts } from '../stage/readouts'
import type { Stage } from '../stage/stage'
import { useSteering } from '../stage/steering'
import { onion, Timeline, useTimeKeys } from '../stage/timeline'
import { Button, Slider, Tool } from '../ui/controls'
import { fmt } from '../ui/format'
import { Icon } from '../ui/icons'

const FIRST_VIEW = { distance: 5.9, pitch: 0.25, shiftX: 0.4, shiftY: 0 } // room for the words at the left

const BESIDE_VIEW = { distance: 7.4, pitch: 0.24, shiftX: 0.14, shiftY: 0 } // room for the capture at its side

const toggle = (key: 'feet' | 'trail' | 'follow') => {
  shown.value = { ...shown.value, [key]: !shown.value[key] }
}
const setBody = (body: boolean) => {
  shown.value = { ...shown.value, body }
}

export function useStageKeys(): void {
  useEffect(
    () =>
      bindKeys([
        { keys: ['v'], group: 'View', does: 'body', run: () => setBody(true) },
        { keys: ['k'], group: 'View', does: 'skeleton', run: () => setBody(false) },
        { keys: ['f'], group: 'View', does: 'foot plants', run: () => toggle('feet') },
        { keys: ['t'], group: 'View', does: 'trail', run: () => toggle('trail') },
        { keys: ['o'], group: 'View', does: 'onion skin', run: onion },
        { keys: ['c'], group: 'View', does: 'camera follows or stays', run: () => toggle('follow') },
        {
          keys: ['p'],
          group: 'View',
          does: 'draw a path',
          run: () => {
            drawing.value = !drawing.value
          },
        },
        {
          keys: ['h'],
          group: 'View',
          does: 'hide the network, or show it',
          run: () => {
            beside.value = !beside.value
          },
        },
        {
          keys: ['r'],
          group: 'View',
          does: 'record, and stop',
          run: () => void act({ type: 'record', recording: !recording.value.recording }),
        },
      ]),
    [],
  )
}

/** Keys that the project itself has: modes and arcs; they win over the view's. */
export function useProjectKeys(): void {
  const n = network.value
  useEffect(() => {
    if (!n) return undefined
    const mine: Key[] = [
      ...n.modes
        .filter((m) => m.key)
        .map((m) => ({
          keys: [m.key.toLowerCase()],
          as: m.key.toUpperCase(),
          group: 'Project keys',
          does: `mode ${m.name}`,
          run: () => tell({ type: 'press', key: m.key, character: character.value }),
        })),
      ...n.arcs
        .filter((a) => a.key && !n.modes.some((m) => m.key === a.key))
        .map((a) => ({
          keys: [a.key.toLowerCase()],
          as: a.key.toUpperCase(),
          group: 'Project keys',
          does: a.name,
          run: () => tell({ type: 'press', key: a.key, character: character.value }),
        })),
      ...n.modes
        .map((m, i) => ({
          keys: [String(i + 1)],
          group: 'Project keys',
          does: `mode ${m.name}`,
          run: () => tell({ type: 'mode', mode: m.name, character: character.value }),
        }))
        .slice(0, 9),
    ]
    return bindKeys(mine)
  }, [n?.revision])
}

function Welcome() {
  const n = network.value,
    key = n?.modes.find((m) => /twirl/i.test(m.name) && m.key) ?? n?.arcs.find((a) => a.key)
  return (
    <div class="welcome">
      <h1>This walk is made of three captures. Steer it.</h1>
      <p>The character is the embedded actor. You can add your own captures.</p>
      <ol class="hints">
        <li class="hint">
          <span class="hint-mark">
            <Icon name="target" />
          </span>
          <div>
            <strong>Drag the point</strong>
            <span>It sets the blend weight of each capture.</span>
          </div>
        </li>
        <li class="hint">
          <span class="hint-mark">
            <Icon name="drop" />
          </span>
          <div>
            <strong>Drop clips anywhere</strong>
            <span>BVH, AMC with ASF, FBX, glTF, C3D and others, or a whole folder.</span>
          </div>
        </li>
        {key && (
          <li class="hint">
            <span class="hint-mark">
              <Icon name="key" />
            </span>
            <div>
              <strong>
                Press <span class="kbd">{key.key.toUpperCase()}</span> for a{' '}
                {/twirl/i.test(key.name) ? 'twirl' : key.name}
              </strong>
              <span>Changes are played as captured.</span>
            </div>
          </li>
        )}
      </ol>
      <div class="welcome-acts">
        <Button size="lg" kind="primary" icon="folder" onClick={() => chooseFiles()}>
          Choose files
        </Button>
        <Button
          size="lg"
          onClick={() => {
            dialog.value = 'open'
          }}
        >
          Open .moca
        </Button>
      </div>
    </div>
  )
}

function PathBar() {
  const [low, high] = speedRange()
  return (
    <div class="path-bar" role="group" aria-label="Path">
      <span>
        <strong>Draw on the ground.</strong> <span class="muted">Start at the end of the path to extend it.</span>
      </span>
      <label class="path-speed">
        <span class="muted">Speed</span>
        <Slider
          label="Speed of what is drawn next"
          value={pathSpeed.value}
          min={low}
          max={high}
          step={0.01}
          text={`${fmt(pathSpeed.value)} metres a second`}
          onInput={(v) => {
            pathSpeed.value = v
          }}
        />
        <span class="num">{fmt(pathSpeed.value)} m/s</span>
      </label>
      <Button
        size="sm"
        onClick={() => {
          endPath()
          drawing.value = false
        }}
      >
        Clear
      </Button>
      <Button
        size="sm"
        onClick={() => {
          drawing.value = false
        }}
      >
        Done
      </Button>
    </div>
  )
}

function Cast() {
  const all = project.value?.characters ?? []
  return (
    <div class="toolbar" role="toolbar" aria-label="Characters">
      {all.length > 1 &&
        all.map((_, i) => (
          <button
            type="button"
            class="tool num"
            key={i}
            aria-pressed={i === character.value}
            aria-label={`Steer character ${i + 1}`}
            onClick={() => {
              character.value = i
            }}
          >
            {i + 1}
          </button>
        ))}
      <Tool
        icon="person"
        label="Add a character"
        onClick={() => {
          const p = hero.value?.root,
            side = hero.value?.fields[FRAME.heading] ?? 0
          void act({
            type: 'add_character',
            at: p ? [p[0] + 1.2 * Math.cos(side), p[2] - 1.2 * Math.sin(side)] : [1.2, 0],
            heading: (side / Math.PI) * 180,
          })
        }}
      />
      {all.length > 1 && (
        <Tool
          icon="close"
          label={`Remove character ${character.value + 1}`}
          onClick={() => {
            const gone = character.value
            character.value = 0
            void act({ type: 'remove_character', character: gone })
          }}
        />
      )}
    </div>
  )
}

function View() {
  const stage = useRef<Stage | null>(null)
  useSteering(() => stage.current)
  useTimeKeys()
  useStageKeys()
  useProjectKeys()
  useSignalEffect(() => {
    project.value
    if (stage.current) showPaths(stage.current)
  })
  useSignalEffect(() => {
    const on = drawing.value,
      made = stage.current
    if (!on || !made) return undefined
    const before = { ...made.camera.view },
      follow = made.camera.follow
    made.camera.follow = false // a ground that moves under the hand cannot be drawn on
    made.camera.ahead(3)
    made.camera.goTo({
      pitch: Math.max(0.75, before.pitch),
      distance: Math.max(12, before.distance),
      shiftX: 0,
      shiftY: 0,
    })
    pathSpeed.value = Math.max(
      speedRange()[0],
      Math.min(speedRange()[1], hero.peek()?.fields[FRAME.asked_speed] ?? 1.2),
    )
    const off = drawOn(made)
    return () => {
      off()
      made.camera.follow = follow
      made.camera.goTo(before)
    }
  })
  const s = shown.value,
    first = !welcomed.value && project.value?.source === 'actor'
  useEffect(() => {
    const made = stage.current
    made?.camera.goTo(first ? FIRST_VIEW : made.home)
  }, [first])
  const comparing = compared.value.node !== ''
  useEffect(() => {
    const made = stage.current
    if (!first) made?.camera.goTo(comparing ? BESIDE_VIEW : made.home)
  }, [comparing])
  const following = (project.value?.characters[character.value]?.path.length ?? 0) > 0
  return (
    <main class={`workspace--stage${beside.value ? '' : ' workspace--bare'}`}>
      <div class="stage-column">
        <LiveStage
          onStage={(made) => {
            stage.current = made
            if (made) showPaths(made)
          }}
        >
          {!first && (
            <div class="stage-tools">
              <div class="toolbar" role="toolbar" aria-label="What is drawn">
                <Tool icon="body" label="Body" hint="V" text="Body" pressed={s.body} onClick={() => setBody(true)} />
                <Tool
                  icon="bones"
                  label="Skeleton"
                  hint="K"
                  text="Skeleton"
                  pressed={!s.body}
                  onClick={() => setBody(false)}
                />
                <i class="tool-divider" />
                <Tool icon="feet" label="Foot plants" hint="F" pressed={s.feet} onClick={() => toggle('feet')} />
                <Tool icon="trail" label="Trail" hint="T" pressed={s.trail} onClick={() => toggle('trail')} />
                <Tool icon="ghost" label="Onion skin" hint="O" pressed={s.onion} onClick={onion} />
              </div>
            </div>
          )}
          {!first && (
            <div class="stage-tools stage-tools--end">
              <Cast />
              <div class="toolbar" role="toolbar" aria-label="Camera and recording">
                <Tool
                  icon="camera"
                  label="Camera follows"
                  hint="C"
                  text="Follow"
                  pressed={s.follow}
                  onClick={() => toggle('follow')}
                />
                <Tool
                  icon="path"
                  label={following ? 'The path that is walked' : 'Draw a path'}
                  hint="P"
                  pressed={drawing.value || following}
                  onClick={() => {
                    drawing.value = !drawing.value
                  }}
                />
                <i class="tool-divider" />
                <Tool
                  icon="record"
                  label={recording.value.recording ? 'Stop recording' : 'Record'}
                  hint="R"
                  pressed={recording.value.recording}
                  onClick={() => act({ type: 'record', recording: !recording.value.recording })}
                />
                <Tool
                  icon="photo"
                  label="Save a picture"
                  onClick={() => {
                    if (stage.current) void savePicture(stage.current)
                  }}
                />
                <Tool
                  icon="film"
                  label={filming.value ? 'End the film' : 'Film the stage'}
                  pressed={filming.value}
                  onClick={() => {
                    if (stage.current) film(stage.current)
                  }}
                />
              </div>
            </div>
          )}
          {drawing.value && <PathBar />}
          {first ? <Welcome /> : !drawing.value && <Readouts />}
          {!first && !drawing.value && (
            <div class="steer-hint">
              <span>Steer</span>
              <div class="wasd">
                <span class="kbd">W</span>
                <span class="kbd">A</span>
                <span class="kbd">S</span>
                <span class="kbd">D</span>
              </div>
            </div>
          )}
        </LiveStage>
        <Timeline />
      </div>
      <div class="side-column" hidden={!beside.value}>
        <NetworkEditor {...(first && block.value?.name ? { title: 'Network' } : {})} />
        <Inspector />
      </div>
    </main>
  )
}

export const panel: Panel = { id: 'stage', title: 'Stage', order: 0, View }
