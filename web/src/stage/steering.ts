/** Steering by keys and gamepad: rates from −1 to 1 that the server moves the point by (CTL-01, CTL-02). */
import { useEffect } from 'preact/hooks'
import { bindKeys, nameOf } from '../app/keys'
import { character, dialog, store, tell, welcomed } from '../app/store'
import type { Stage } from './stage'

const WAYS: Readonly<Record<string, readonly [number, number]>> = {
  w: [0, 1],
  s: [0, -1],
  a: [1, 0],
  d: [-1, 0],
  arrowup: [0, 1],
  arrowdown: [0, -1],
  arrowleft: [1, 0],
  arrowright: [-1, 0],
}

export function useSteering(stage: () => Stage | null): void {
  useEffect(() => {
    const pressed = new Set<string>()
    let sent = '0 0',
      pads = 0,
      stick: readonly [number, number] = [0, 0]
    const send = () => {
      let turn = stick[0],
        speed = stick[1]
      for (const key of pressed) {
        turn += WAYS[key][0]
        speed += WAYS[key][1]
      }
      turn = Math.max(-1, Math.min(1, turn))
      speed = Math.max(-1, Math.min(1, speed))
      const text = `${turn.toFixed(2)} ${speed.toFixed(2)}`
      if (text === sent) return
      sent = text
      if (!welcomed.value && (turn || speed)) {
        welcomed.value = true
        store('welcomed', 'yes')
      }
      tell({ type: 'steer', turn, speed, character: character.value })
    }
    const off = bindKeys([
      {
        keys: Object.keys(WAYS),
        as: 'W A S D',
        group: 'Steering',
        does: 'faster, left, slower, right (also arrows)',
        run: (e) => {
          if (!e.repeat && !dialog.value) {
            pressed.add(nameOf(e))
            send()
          }
        },
      },
    ])
    const up = (e: KeyboardEvent) => {
      if (pressed.delete(e.key.toLowerCase())) send()
    }
    const blur = () => {
      pressed.clear()
      send()
    }
    const poll = () => {
      // gamepads are asked, they do not tell
      const pad = navigator.getGamepads?.().find((p) => p !== null)
      if (pad) {
        const dead = (v: number) => (Math.abs(v) < 0.15 ? 0 : v)
        stick = [-dead(pad.axes[0] ?? 0), -dead(pad.axes[1] ?? 0)]
        stage()?.camera.orbit(dead(pad.axes[2] ?? 0) * 0.04, dead(pad.axes[3] ?? 0) * 0.02)
        send()
      }
      pads = requestAnimationFrame(poll)
    }
    const plug = () => {
      if (!pads) pads = requestAnimationFrame(poll)
    }
    addEventListener('keyup', up)
    addEventListener('blur', blur)
    addEventListener('gamepadconnected', plug)
    return () => {
      off()
      removeEventListener('keyup', up)
      removeEventListener('blur', blur)
      removeEventListener('gamepadconnected', plug)
      cancelAnimationFrame(pads)
    }
  }, [])
}
