/** What the point makes: its period, the sources in phase with their weights, the rule, the distortion here. */
import { act, block, calmHero, figures, hello, maps, network, people, selectedNode } from '../app/store'
import { FRAME } from '../messages'
import { Button, CodeLine, Fact, NameField, NumberField, Row, Section, Select } from '../ui/controls'
import { Figure } from '../ui/figure'
import { fmt, plain, signed } from '../ui/format'
import { LayerNote } from './layer'
import { calmWeights, handle, sided, units } from './live'

const titled = (axis: string) => axis[0].toUpperCase() + axis.slice(1)

/** The small skeleton of a node at the phase that is played (CTL-03). */
function Source({ node, phase }: { node: number; phase: number }) {
  const b = block.value,
    set = b ? figures.value[b.name] : undefined,
    person = people.get(network.value?.body ?? -1)
  const row = set?.nodes.indexOf(b?.nodes[node].name ?? '') ?? -1
  if (!set || !person || row < 0) return <svg width="40" height="48" viewBox="0 0 40 48" aria-hidden="true" />
  const at = Math.round((phase / (2 * Math.PI)) * set.phases) % set.phases
  return (
    <svg width="40" height="48" viewBox="0 0 40 48" aria-hidden="true">
      <Figure
        skeleton={person.skeleton}
        points={set.poses}
        row={row * set.phases + at}
        x={20}
        y={45}
        scale={43 / Math.max(0.3, person.height)}
        turn={1.2}
        width={1.5}
      />
    </svg>
  )
}

/** The layer's value nearest to a place, where the layer is there. */
function layerAt(
  name: 'distortion' | 'slip',
  at: readonly [number, number],
): { value: number | null; most: number; unit: string } | null {
  const map = maps.value[`${name}:${block.value?.name ?? ''}`]
  if (!map) return null
  const cell = (v: number, k: 0 | 1, n: number) =>
    Math.round(((v - map.low[k]) / Math.max(1e-12, map.high[k] - map.low[k])) * (n - 1))
  const c = cell(at[0], 0, map.columns),
    r = cell(at[1], 1, map.rows)
  return {
    value: c < 0 || r < 0 || c >= map.columns || r >= map.rows ? null : map.values[r * map.columns + c],
    most: map.most,
    unit: map.unit,
  }
}

function NodeCard() {
  const b = block.value,
    node = b?.nodes.find((n) => n.name === selectedNode.value)
  if (!b || !node) return null
  const move = (x: number, y: number) => act({ type: 'move_node', node: node.name, at: [x, y], block: b.name })
  return (
    <Section title="Node" end={node.source || node.clip}>
      <div class="node-card">
        <NameField
          value={node.name}
          label="Name of the node"
          onChange={(name) => {
            void act({ type: 'rename_node', node: node.name, name, block: b.name }).then((done) => {
              if (done) selectedNode.value = name
            })
          }}
        />
        <div class="node-place">
          <NumberField
            value={node.at[0]}
            digits={1}
            unit={units.value[0]}
            label="Place of the node, turn"
            onChange={(x) => move(x, node.at[1])}
          />
          <NumberField
            value={node.at[1]}
            unit={units.value[1]}
            label="Place of the node, speed"
            onChange={(y) => move(node.at[0], y)}
          />
        </div>
        <dl class="rows">
          <Row label="As captured">
            {sided.value ? signed(node.turn) : fmt(node.turn)} °/s, {fmt(node.speed)} m/s, {fmt(node.period)} s
          </Row>
        </dl>
        <div class="node-acts">
          <Button size="sm" onClick={() => act({ type: 'point', at: [node.at[0], node.at[1]] })}>
            Go there
          </Button>
          {node.clip && (
            <a class="button button--sm" href="#clips">
              Its clip
            </a>
          )}
          <Button size="sm" icon="trash" onClick={() => act({ type: 'remove_node', node: node.name, block: b.name })}>
            Remove
          </Button>
        </div>
      </div>
    </Section>
  )
}

export function Inspector() {
  const b = block.value,
    n = network.value,
    f = calmHero.value?.fields
  const rows = calmWeights.value.filter((x) => x.weight > 0.004).sort((p, q) => q.weight - p.weight),
    at = handle.value
  const here = layerAt('distortion', at),
    slip = layerAt('slip', at)
  const phase = f?.[FRAME.phase] ?? 0,
    inside = f ? f[FRAME.inside] > 0 : true
  const state = f?.[FRAME.state] ?? 0,
    arc = n && f && f[FRAME.arc] >= 0 ? n.arcs[f[FRAME.arc]]?.name : ''
  return (
    <section class="panel divider-h" aria-label="Inspector">
      <div class="panel-body" tabindex={0} role="group" aria-label="Inspector">
        <NodeCard />
        <LayerNote />
        <Section
          title="Blending point"
          end={state === 2 ? `in ${arc}` : state === 1 ? `waits for ${arc}` : inside ? 'inside' : 'on the outline'}
        >
          <div class="facts">
            <Fact
              label={titled(n?.axes[0] ?? 'x')}
              value={sided.value ? signed(at[0]) : fmt(at[0])}
              unit={units.value[0]}
            />
            <Fact label={titled(n?.axes[1] ?? 'y')} value={fmt(at[1])} unit={units.value[1]} />
            <Fact label="Period" value={f ? fmt(f[FRAME.period], 3) : '–'} unit="s" />
          </div>
        </Section>
        <Section title="Weights" end={`in phase, ${Math.round((phase / Math.PI) * 180)}°`}>
          <div class="weights">
            {b &&
              rows.map(({ node, weight }) => (
                <button
                  type="button"
                  class="weight-row"
                  key={b.nodes[node].name}
                  title="Choose this node"
                  onClick={() => {
                    selectedNode.value = b.nodes[node].name
                  }}
                >
                  <Source node={node} phase={phase} />
                  <span>
                    <span class="weight-name">
                      <span>{b.nodes[node].name}</span>
                      <span class="num muted">{fmt(b.nodes[node].period)} s</span>
                    </span>
                    <span class="weight-bar">
                      <i
                        ref={(e) => {
                          if (e) e.style.width = `${Math.min(100, 100 * weight).toFixed(1)}%`
                        }}
                      />
                    </span>
                  </span>
                  <span class="weight-value num">
                    {Math.round(100 * weight)}
                    <small>%</small>
                  </span>
                </button>
              ))}
          </div>
        </Section>
        <div class="section">
          <dl class="rows">
            <div class="row">
              <dt>Rule</dt>
              <dd>
                <Select
                  label="Blend rule"
                  value={n?.rule ?? ''}
                  options={[...new Set([...(hello.value?.rules ?? []), n?.rule ?? ''])].map((r) => [r, r] as const)}
                  onChange={(rule) => act({ type: 'set_rule', rule })}
                />
              </dd>
            </div>
            <Row label="Harmonics">
              {n?.harmonics ?? '–'}
              {n && n.harmonics < n.most_harmonics && <span class="muted"> of {n.most_harmonics}</span>}
            </Row>
            {here && (
              <Row label="Distortion here">
                {here.value === null ? '–' : fmt(here.value, 3)} {here.unit}{' '}
                <span class="muted">of {fmt(here.most, 3)}</span>
              </Row>
            )}
            {slip && (
              <Row label="Slip here">
                {slip.value === null ? '–' : fmt(slip.value)} {slip.unit} <span class="muted">of {fmt(slip.most)}</span>
              </Row>
            )}
          </dl>
        </div>
      </div>
      <div class="panel-foot">
        <CodeLine text={`player.point = (${plain(at[0], 1)}, ${plain(at[1], 2)})`} />
      </div>
    </section>
  )
}
