/** The network editor: drag the point, drag nodes, join, cut and flip triangles, look at layers. */
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { bindKeys } from '../app/keys'
import { mapUnder } from '../app/drop'
import {
  act,
  block,
  connection,
  drawing,
  held,
  layer,
  maps,
  network,
  selectedNode,
  store,
  theme,
  toast,
  welcomed,
} from '../app/store'
import { RefusedError } from '../app/connection'
import { NameField, Tool, useSize } from '../ui/controls'
import { counted } from '../ui/format'
import { clampTo, edgesOf, snap, staysSound, type Spot } from './geometry'
import { follows, handle, hidden, open, scaleFor, sendPoint, sided, units, weights } from './live'
import { NetworkMap, type DragNode } from './map'

const PAD = { l: 44, r: 20, t: 12, b: 36 }
const HINTS = {
  '': '',
  flip: 'Choose an edge to flip',
  join: 'Choose three nodes to join',
  cut: 'Choose a triangle to remove',
} as const
type EditorTool = keyof typeof HINTS

const tool = signal<EditorTool>('')
const drag = signal<DragNode | null>(null)
const joining = signal<readonly string[]>([])
const renaming = signal('')
/** The way of a drag that Escape ends. */
let cancel: (() => void) | null = null
let drags = Math.floor(performance.now() * 7) % 1e6

const choose = (next: EditorTool) => {
  tool.value = tool.value === next ? '' : next
  joining.value = []
}

export function nextLayer(): void {
  layer.value = layer.value === '' ? 'distortion' : layer.value === 'distortion' ? 'slip' : ''
}

/** Ask for the layer that is shown, whenever it is not there: after a change of the network, or another block. */
function useLayer(): void {
  const b = block.value,
    name = layer.value,
    revision = network.value?.revision
  const have = b && name ? maps.value[`${name}:${b.name}`] : null
  useEffect(() => {
    if (!b || !name || have) return undefined
    const wait = setTimeout(() => {
      void act({ type: 'ask_map', layer: name, block: b.name })
    }, 250) // a drag asks once
    return () => clearTimeout(wait)
  }, [b?.name, name, revision, Boolean(have)])
}

function addNode(): void {
  const b = block.value
  if (b) void act({ type: 'add_node', at: [handle.value[0], handle.value[1]], block: b.name })
}

function removeSelected(): void {
  const b = block.value
  if (b && selectedNode.value) void act({ type: 'remove_node', node: selectedNode.value, block: b.name })
}

function escape(): void {
  if (cancel) cancel()
  else if (tool.value) choose('')
  else if (drawing.value) drawing.value = false
  else if (renaming.value) renaming.value = ''
  else selectedNode.value = ''
}

export function NetworkEditor({ title }: { title?: string }) {
  const b = block.value
  const triangles = open.value.filter((t) => t.length === 3).length
  useEffect(
    () =>
      bindKeys([
        { keys: ['n'], group: 'Network', does: 'add a node at the point', run: addNode },
        { keys: ['e'], group: 'Network', does: 'flip an edge', run: () => choose('flip') },
        { keys: ['j'], group: 'Network', does: 'join three nodes', run: () => choose('join') },
        { keys: ['x'], group: 'Network', does: 'remove a triangle', run: () => choose('cut') },
        {
          keys: ['delete', 'backspace'],
          as: 'Del',
          group: 'Network',
          does: 'remove the chosen node',
          run: removeSelected,
        },
        {
          keys: ['f2'],
          as: 'F2',
          group: 'Network',
          does: 'rename the chosen node',
          run: () => {
            renaming.value = selectedNode.value
          },
        },
        { keys: ['l'], group: 'Network', does: 'map layer: distortion, slip', run: nextLayer },
        { keys: ['escape'], as: 'Esc', group: 'Network', does: 'cancel, then clear the selection', run: escape },
      ]),
    [],
  )
  useLayer()
  return (
    <section class="panel network-editor" aria-label="Network editor">
      <div class="panel-head">
        <h2 class="panel-title">{title ?? (b?.name ? b.name : 'Network')}</h2>
        <span class="muted num">
          {b ? `${counted(b.nodes.length, 'node')} · ${counted(triangles, 'triangle')}` : ''}
        </span>
        <span class="grow" />
        <Tool icon="plus" label="Add a node at the point" hint="N" onClick={addNode} disabled={!b} />
        <Tool
          icon="flip"
          label="Flip an edge"
          hint="E"
          pressed={tool.value === 'flip'}
          onClick={() => choose('flip')}
        />
        <Tool
          icon="triangle"
          label="Join three nodes"
          hint="J"
          pressed={tool.value === 'join'}
          onClick={() => choose('join')}
        />
        <Tool
          icon="trash"
          label={selectedNode.value ? `Remove ${selectedNode.value}` : 'Remove a triangle'}
          hint={selectedNode.value ? 'Del' : 'X'}
          pressed={tool.value === 'cut'}
          onClick={() => (selectedNode.value ? removeSelected() : choose('cut'))}
        />
        <Tool
          icon="layers"
          label={layer.value ? `Layer: ${layer.value}` : 'Map layers'}
          hint="L"
          pressed={layer.value !== ''}
          onClick={nextLayer}
        />
      </div>
      <Canvas />
    </section>
  )
}

function Canvas() {
  const [attach, { w, h }] = useSize<HTMLDivElement>(),
    svg = useRef<SVGSVGElement>(null),
    last = useRef({ name: '', at: 0 })
  const b = block.value
  const scale = scaleFor(w, h, PAD)
  const place = (e: { clientX: number; clientY: number }): Spot => {
    const r = svg.current!.getBoundingClientRect()
    return [e.clientX - r.left, e.clientY - r.top]
  }
  useEffect(() => {
    mapUnder.at = (x, y) => {
      const r = svg.current?.getBoundingClientRect()
      if (!r || x < r.left || x > r.right || y < r.top || y > r.bottom) return null
      const s = scaleFor(r.width, r.height, PAD)
      return [s.ux(x - r.left), s.uy(y - r.top)]
    }
    return () => {
      mapUnder.at = () => null
    }
  }, [])
  if (!b || !w || !h)
    return (
      <div class="network-canvas" ref={attach}>
        <p class="muted empty">Drop captures anywhere to build a network from them.</p>
      </div>
    )
  const spots: Spot[] = b.nodes.map((node) => [scale.x(node.at[0]), scale.y(node.at[1])])

  // The network may change under a hand that drags: what it is now counts, not what it was when it was drawn.
  const clamp = (p: Spot) =>
    clampTo(
      p,
      (block.value ?? b).nodes.map((node): Spot => [scale.x(node.at[0]), scale.y(node.at[1])]),
      open.value,
    )
  const movePoint = (p: Spot) => {
    const c = clamp(p).at,
      at: Spot = [scale.ux(c[0]), scale.uy(c[1])]
    held.value = at
    sendPoint(at)
  }
  const follow = (e: PointerEvent, move: (e: PointerEvent) => void, end: () => void, undo: () => void) => {
    const target = svg.current!
    const stop = () => {
      target.removeEventListener('pointermove', move)
      target.removeEventListener('pointerup', done)
      target.removeEventListener('pointercancel', off)
      cancel = null
      try {
        target.releasePointerCapture(e.pointerId)
      } catch {
        /* already released */
      }
    }
    const done = () => {
      stop()
      end()
    }
    const off = () => {
      stop()
      undo()
    }
    target.setPointerCapture(e.pointerId)
    target.addEventListener('pointermove', move)
    target.addEventListener('pointerup', done)
    target.addEventListener('pointercancel', off)
    cancel = off
  }
  const dragPoint = (e: PointerEvent) => {
    const was = handle.peek()
    movePoint(place(e))
    follow(
      e,
      (m) => movePoint(place(m)),
      () => {
        held.value = null
        if (!welcomed.value) {
          welcomed.value = true
          store('welcomed', 'yes')
        }
      },
      () => {
        held.value = null
        sendPoint(was)
      },
    )
  }
  const dragNode = (e: PointerEvent, name: string) => {
    const i = b.nodes.findIndex((x) => x.name === name),
      node = b.nodes[i],
      start = place(e),
      grip: Spot = [spots[i][0] - start[0], spots[i][1] - start[1]],
      number = ++drags
    let moved = false,
      busy = false,
      wanted: Spot | null = null,
      sent = 0
    const push = async () => {
      if (busy || !wanted) return
      const at = wanted
      wanted = null
      busy = true
      sent++
      try {
        await connection.send({ type: 'move_node', node: name, at: [at[0], at[1]], block: b.name, drag: number })
      } catch (error) {
        if (error instanceof RefusedError && !error.answer.kept)
          toast(error.answer.message, 'doubt', error.answer.helps)
      }
      busy = false
      void push()
    }
    const move = (m: PointerEvent) => {
      const p = place(m)
      if (!moved && Math.hypot(p[0] - start[0], p[1] - start[1]) < 4) return
      moved = true
      const free: Spot = [scale.ux(p[0] + grip[0]), scale.uy(p[1] + grip[1])]
      const [to, snapped] = m.altKey ? [free, [false, false] as const] : snapPlace(free, i)
      const sound = staysSound(
        b.nodes.map((x) => x.at),
        b.triangles,
        i,
        to,
      )
      if (!sound) {
        if (drag.value) drag.value = { ...drag.value, sound: false }
        return
      }
      drag.value = { node: i, at: to, was: node.at, snapped, sound }
      wanted = to
      void push()
    }
    const end = () => {
      drag.value = null
      if (!moved) click(name)
    }
    const undo = () => {
      drag.value = null
      wanted = null
      if (sent)
        void connection
          .send({ type: 'move_node', node: name, at: [node.at[0], node.at[1]], block: b.name, drag: number })
          .catch(() => undefined)
    }
    follow(e, move, end, undo)
  }
  const snapPlace = (p: Spot, i: number): [Spot, readonly [boolean, boolean]] => {
    const px = Math.abs(scale.x(1) - scale.x(0)),
      py = Math.abs(scale.y(1) - scale.y(0))
    let x = snap(p[0], 5, px),
      y = snap(p[1], 0.05, py)
    for (const [k, other] of b.nodes.entries()) {
      if (k === i) continue
      if (Math.abs(other.at[0] - p[0]) * px <= 6) x = other.at[0]
      if (Math.abs(other.at[1] - p[1]) * py <= 6) y = other.at[1]
    }
    return [
      [x, y],
      [x !== p[0], y !== p[1]],
    ]
  }
  const click = (name: string) => {
    // A captured pointer makes the map the target of a double click, so clicks are counted here.
    const again = last.current.name === name && performance.now() - last.current.at < 450
    last.current = { name, at: performance.now() }
    if (again) {
      selectedNode.value = name
      renaming.value = name
      return
    }
    if (tool.value !== 'join') {
      selectedNode.value = selectedNode.value === name ? '' : name
      return
    }
    joining.value = joining.value.includes(name) ? joining.value.filter((x) => x !== name) : [...joining.value, name]
    if (joining.value.length < 3) return
    const [p, q, r] = joining.value
    choose('')
    void act({ type: 'add_triangle', nodes: [p, q, r], block: b.name })
  }
  const down = (e: PointerEvent) => {
    if (e.button !== 0) return
    const target = e.target as Element,
      node = target.closest('[data-node]')?.getAttribute('data-node')
    const edge = target.closest('[data-edge]')?.getAttribute('data-edge'),
      triangle = target.closest('[data-triangle]')?.getAttribute('data-triangle')
    e.preventDefault()
    if (target.closest('.blend-point') && !node) {
      ;(target.closest('.blend-point') as SVGElement).focus()
      dragPoint(e)
      return
    }
    if (node) {
      dragNode(e, node)
      return
    }
    if (tool.value === 'flip') {
      if (!edge) return
      const [p, q] = edge.split(' ').map((k) => b.nodes[Number(k)].name)
      choose('')
      void act({ type: 'flip_edge', nodes: [p, q], block: b.name })
    } else if (tool.value === 'cut') {
      const t = triangle ? open.value[Number(triangle)] : null
      if (!t || t.length !== 3) return
      choose('')
      void act({
        type: 'remove_triangle',
        nodes: [b.nodes[t[0]].name, b.nodes[t[1]].name, b.nodes[t[2]].name],
        block: b.name,
      })
    } else if (!tool.value) dragPoint(e)
  }
  const keys = (e: KeyboardEvent) => {
    const target = e.target as Element,
      node = target.closest('[data-node]')?.getAttribute('data-node')
    if (node && (e.key === 'Enter' || e.key === ' ')) {
      click(node)
      e.preventDefault()
      return
    }
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key]
    if (!way) return
    e.preventDefault()
    e.stopPropagation()
    const fine = e.shiftKey ? 0.1 : 1,
      side = sided.value ? 1 : -1
    if (node) {
      const at = b.nodes.find((x) => x.name === node)!.at
      void act({
        type: 'move_node',
        node,
        at: [at[0] + side * way[0] * fine, at[1] + way[1] * 0.01 * (e.shiftKey ? 0.1 : 1)],
        block: b.name,
      })
      return
    }
    const p: Spot = [handle.value[0] + side * 2 * way[0] * fine, handle.value[1] + 0.03 * way[1] * fine]
    const c = clamp([scale.x(p[0]), scale.y(p[1])]).at
    sendPoint([scale.ux(c[0]), scale.uy(c[1])])
  }
  const shownLayer = layer.value ? (maps.value[`${layer.value}:${b.name}`] ?? null) : null
  const named = renaming.value ? b.nodes.findIndex((x) => x.name === renaming.value) : -1
  const first = !welcomed.value
  return (
    <div class="network-canvas" ref={attach}>
      <svg
        ref={svg}
        class={`network-map${tool.value ? ` network-map--${tool.value}` : ''}`}
        viewBox={`0 0 ${w} ${h}`}
        width={w}
        height={h}
        role="group"
        aria-label={`Network: ${counted(b.nodes.length, 'node')}, ${counted(open.value.length, 'triangle')}. Arrow keys move the blending point.`}
        onPointerDown={down}
        onKeyDown={keys}
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
          selected={tool.value === 'join' ? joining.value : selectedNode.value ? [selectedNode.value] : []}
          layer={shownLayer}
          drag={drag.value}
          theme={theme.value}
          {...(tool.value === 'flip' ? { edges: edgesOf(open.value) } : {})}
        />
      </svg>
      <span class="axis-name axis-name--x muted">
        {network.value?.axes[0] ?? 'turn'}, {units.value[0]}
      </span>
      <span class="axis-name axis-name--y muted">
        {network.value?.axes[1] ?? 'speed'}, {units.value[1]}
      </span>
      {tool.value && (
        <span class="map-hint" role="status">
          {HINTS[tool.value]}
          {tool.value === 'join' && joining.value.length ? ` (${joining.value.length} of 3)` : ''}
          <span class="kbd">Esc</span>
        </span>
      )}
      {drag.value && (
        <span class="map-hint" role="status">
          {b.nodes[drag.value.node].name} {drag.value.sound ? 'is being moved' : 'would fold a triangle there'}
          <span class="kbd">Esc</span>cancels
        </span>
      )}
      {first && !drag.value && (
        <span
          class="coach"
          ref={(e) => {
            if (e) {
              e.style.left = `${scale.x(handle.value[0]) + 26}px`
              e.style.top = `${scale.y(handle.value[1])}px`
            }
          }}
        >
          Drag this point
        </span>
      )}
      {named >= 0 && (
        <Rename
          x={Math.min(w - 180, Math.max(4, spots[named][0] - 80))}
          y={Math.min(h - 40, spots[named][1] + 12)}
          block={b.name}
        />
      )}
    </div>
  )
}

/** The name of a node, written over where it stands. */
function Rename({ x, y, block: name }: { x: number; y: number; block: string }) {
  const box = useRef<HTMLSpanElement>(null),
    node = renaming.value
  useLayoutEffect(() => {
    // before it is painted: keys that follow the double click belong to the name
    box.current!.style.left = `${x}px`
    box.current!.style.top = `${y}px`
    const input = box.current!.querySelector('input')!
    input.focus()
    input.select()
  }, [node])
  return (
    <span
      class="rename"
      ref={box}
      onFocusOut={() => {
        renaming.value = ''
      }}
    >
      <NameField
        value={node}
        label="Name of the node"
        onChange={(next) => {
          void act({ type: 'rename_node', node, name: next, block: name }).then((done) => {
            if (done) selectedNode.value = next
          })
        }}
      />
    </span>
  )
}
