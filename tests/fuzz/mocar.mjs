// Parses and plays .mocar files in WebAssembly, for mocar_cases.py: node mocar.mjs RUNTIME, a path in each line of standard
// input. For each a line of JSON: outcome "refused" (with the reason), "played", or "failed" (with what was thrown).
import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline'

const runtime = process.argv[2], { ALL, Library } = await import(path.join(runtime, 'mocapella.mjs'))
const wasm = await WebAssembly.compile(fs.readFileSync(path.join(runtime, 'mocapella.wasm')))
const ODD = [0, 1, -1, 1e6, -1e6, 1e300, NaN, Infinity, 1 / 60, 3]
const MOST = 64 << 20, PER_BYTE = 1024 // bytes of memory, as SECURITY.md has it

/** Do something that the library may refuse; a trap of WebAssembly is thrown on. */
function attempt(act) {
  try { return act() } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error.constructor !== Error) throw error
  }
}

function play(network, content) {
  let state = content.length >>> 0
  const random = (n) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 2 ** 32) * n) }
  const odd = () => ODD[random(ODD.length)], count = [1, 3, 9][random(3)], crowd = network.create(count)
  for (let i = 0; i < 4; i++) {
    const who = random(count + 3) - 2
    attempt(() => crowd.aim(who, odd(), odd()))
    attempt(() => crowd.steer(who, odd(), odd()))
    attempt(() => crowd.begin(who, { x: odd(), z: odd(), heading: odd(), phase: odd(), point: [odd(), odd()] }))
    attempt(() => crowd.step(odd()))
    attempt(() => crowd.trigger(who, random(network.changes.length + 2) - 1))
    attempt(() => crowd.enter(who, random(network.blocks.length + 2) - 1, odd(), odd()))
    if (random(3) === 0) attempt(() => crowd.cancel(who))
    crowd.step(1 / 60)
  }
  for (let i = 0; i < 8; i++) crowd.step([1 / 60, 0.5, 3][random(3)])
  for (const read of ['matrices', 'positions', 'locals']) { crowd[read](count - 1); crowd[read](ALL); attempt(() => crowd[read](count)) }
  crowd.now(0)
  crowd.doing(0)
  attempt(() => network.nearest(odd(), odd()))
  attempt(() => network.rates(odd(), odd()))
  crowd.free()
  network.free()
}

async function judge(file) {
  const content = fs.readFileSync(file), library = new Library((await WebAssembly.instantiate(wasm, {})).exports)
  let network
  try { network = library.network(content) } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error.constructor !== Error) throw error
    return { outcome: 'refused', reason: error.message }
  }
  play(network, content)
  const took = library.core.memory.buffer.byteLength
  if (took > Math.max(MOST, PER_BYTE * content.length)) throw new Error(`${took} bytes of memory for ${content.length}`)
  return { outcome: 'played', reason: '' }
}

for await (const line of readline.createInterface({ input: process.stdin })) {
  const told = await judge(line).catch((error) => ({ outcome: 'failed', reason: String(error.stack ?? error) }))
  console.log(JSON.stringify(told))
}
