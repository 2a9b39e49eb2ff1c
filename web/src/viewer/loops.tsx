/** The page of a network: loops mixed at a point that can be moved; or one loop that repeats. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Body, Skeleton } from '../stage/figure'
import type { Stage } from '../stage/stage'
import { useSize } from '../ui/controls'
import { fmt, signed } from '../ui/format'
import type { Change } from './change'
import { Changes } from './changes'
import { publish } from './handle'
import { Lanes } from './lanes'
import { PointMap, Readout, Shares } from './map'
import { Grid, Walker } from './mixer'
import { StageBox, Tools, Transport, useKeys, useShown, type Clock } from './shell'

const STEP = { turn: 2, speed: 0.03 } // of a press on an arrow, as in the studio
const TURN = 2 * Math.PI

export function LoopsPage({
  title,
  grids,
  changes,
  block,
  point,
  skeleton,
  body,
}: {
  title: string
  grids: Grid[]
  changes: readonly Change[]
  block: string
  point: number[]
  skeleton: Skeleton
  body: Body
}) {
  const walker = useMemo(() => new Walker(grids.find((g) => g.block.name === block) ?? grids[0], point, grids), [])
  const [clock, setClock] = useState<Clock>({ playing: true, rate: 1 }),
    [, tick] = useState(0),
    [shown, change] = useShown()
  const live = useRef(clock),
    stage = useRef<Stage | null>(null),
    [strip, { w: width, h: height }] = useSize<HTMLDivElement>()
  const steerable = grids.some((g) => g.loops > 1)
  const set = (one: Partial<Clock>) => setClock((before) => (live.current = { ...before, ...one }))
  const show = () => {
    const { pose, held } = walker.pose()
    stage.current?.pose(0, pose, { time: walker.time, held })
    tick((n) => n + 1)
  }
  const seek = (share: number) => {
    set({ playing: false })
    walker.phase = (share % 1) * TURN
    show()
  }
  const samples = walker.grid.samples
  const step = (frames: number) => {
    set({ playing: false })
    if (frames > 0) walker.advance(walker.period / samples)
    else walker.phase = (walker.phase + TURN - TURN / samples) % TURN
    show()
  }
  useKeys(clock, set, step, shown, change)
  const steer = (x: number, y: number) => {
    walker.steer(x, y)
    tick((n) => n + 1)
  }
  const take = (change: Change) => {
    walker.take(change)
    set({ playing: true })
    show()
  }
  /** Another block is reached by the captured change that leads there; where there is none, at once. */
  const enter = (grid: Grid) => {
    const way = changes.find((c) => c.packed.source === walker.grid.block.name && c.packed.target === grid.block.name)
    if (grid !== walker.grid && way) take(way)
    else {
      walker.enter(grid)
      show()
    }
  }

  useEffect(() => {
    const down = (e: KeyboardEvent) => {
      const number = Number(e.key),
        open = changes.filter((c) => c.packed.source === walker.grid.block.name)
      if (number >= 1 && number <= open.length) {
        take(open[number - 1])
        return
      }
      const by = {
        ArrowLeft: [1, 0],
        ArrowRight: [-1, 0],
        ArrowUp: [0, 1],
        ArrowDown: [0, -1],
        a: [1, 0],
        d: [-1, 0],
        w: [0, 1],
        s: [0, -1],
      }[e.key]
      if (!steerable || !by || e.ctrlKey || e.metaKey || (e.target as HTMLElement).classList.contains('lanes')) return
      e.preventDefault()
      const fine = e.shiftKey ? 0.1 : 1
      steer(walker.goal[0] + fine * STEP.turn * by[0], walker.goal[1] + fine * STEP.speed * by[1])
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  }, [])

  const ready = (made: Stage) => {
    stage.current = made
    made.add(0, skeleton, body)
    made.onFrame = (dt) => {
      if (live.current.playing) {
        walker.advance(dt * live.current.rate)
        show()
      }
    }
    show()
    return publish({
      seek,
      steer,
      play: (on) => set({ playing: on }),
      joints: () => Array.from(made.character(0)!.positions),
      point: (x, y, atOnce = false) => {
        steer(x, y)
        if (atOnce) {
          walker.point = walker.goal
          show()
        }
      },
      walker,
      changes,
      show,
      take: (name: string) => {
        const one = changes.find((c) => c.name === name)
        if (one) take(one)
      },
    })
  }

  const place = walker.place,
    lead = place.corners[place.weights.indexOf(Math.max(...place.weights))]
  const bars = useMemo(() => plantBars(walker.grid, lead), [walker.grid, lead])
  const marks = Array.from({ length: 9 }, (_, i) => ({
    at: i / 8,
    above: `${i * 45}°`,
    below: `${fmt((walker.period * i) / 8)}${i === 8 ? ' s' : ''}`,
  }))
  const asked = walker.grid.place(walker.goal[0], walker.goal[1])
  return (
    <main class={`page page--loops ${steerable ? '' : 'page--one'}`}>
      <div class="stage-column">
        <StageBox ready={ready} label={`The character of ${title}. ${steerable ? 'Arrow keys steer it.' : ''}`}>
          <Tools shown={shown} change={change} />
          <div class="readouts" role="group" aria-label="Live">
            <Readout
              label="Speed"
              value={fmt(walker.speed)}
              unit="m/s"
              note={steerable ? `asked ${fmt(walker.grid.mean(walker.grid.block.speeds, asked))}` : ''}
            />
            <Readout
              label="Turn"
              value={signed(walker.turn)}
              unit="°/s"
              note={steerable ? `asked ${signed(walker.grid.mean(walker.grid.block.turns, asked))}` : ''}
            />
            <Readout
              label="Period"
              value={fmt(walker.period, 3)}
              unit="s"
              note={steerable ? `${walker.grid.loops} loops` : ''}
            />
          </div>
          <div class="page-title">
            <h1>{title}</h1>
          </div>
        </StageBox>
        <section class="timeline" aria-label="Timeline">
          <Transport
            clock={clock}
            set={set}
            step={step}
            text={`${fmt((walker.phase / TURN) * walker.period, 3)} s · ${Math.round((walker.phase / TURN) * 360)}°`}
          />
          <div ref={strip}>
            {width > 0 ? (
              <Lanes
                width={width}
                height={height}
                bars={bars}
                ticks={marks}
                at={walker.phase / TURN}
                label="Cycle phase"
                value={`${Math.round((walker.phase / TURN) * 360)} degrees`}
                onSeek={seek}
              />
            ) : null}
          </div>
        </section>
      </div>
      {steerable ? (
        <aside class="page-side panel" aria-label="Network">
          <div class="panel-head">
            <h2 class="panel-title">{grids.length > 1 ? 'Blocks' : 'Network'}</h2>
            <span class="muted num">{walker.grid.block.nodes.length} motions</span>
            <span class="grow" />
            {grids.length > 1 ? (
              <div class="tabs" role="tablist">
                {grids.map((g) => (
                  <button
                    key={g.block.name}
                    class="tab"
                    role="tab"
                    aria-selected={g === walker.grid}
                    onClick={() => enter(g)}
                  >
                    {g.block.name}
                  </button>
                ))}
              </div>
            ) : null}
          </div>
          <PointMap
            plan={walker.grid.block}
            goal={walker.goal}
            follows={walker.point}
            hidden={walker.playing !== null}
            onPoint={steer}
          />
          <Shares plan={walker.grid.block} goal={walker.goal} />
          <Changes
            block={walker.grid.block.name}
            now={walker.playing}
            wanted={walker.wanted}
            changes={changes}
            onTake={take}
          />
          <p class="page-note">
            Drag the point, or use the arrow keys. Poses between {walker.grid.loops} recorded loops are blended
            {changes.length ? '; changes are played as captured' : ''}.
          </p>
        </aside>
      ) : null}
    </main>
  )
}

function plantBars(grid: Grid, loop: number): [number, number][][] {
  const n = grid.samples,
    down = (i: number, p: number) => grid.planted[4 * ((i % n) * grid.loops + loop) + p] > 0
  return [0, 1, 2, 3].map((p) => {
    const bars: [number, number][] = []
    for (let i = 0; i < n; i++)
      if (down(i, p) && !down(i + n - 1, p)) {
        let e = i + 1
        while (e < i + n && down(e, p)) e++
        bars.push([i / n, e / n])
      }
    return bars.length || !down(0, p) ? bars : [[0, 1]]
  })
}
