// The crowd core in a page or in Node: characters of one network, stepped in WebAssembly memory.
//
//   const crowd = await loadCrowd(wasmBytes, tables, { characters, joints, triangles })
//   crowd.records.set(...); crowd.goals.set(...)       // as mocapella.crowd.state has them
//   crowd.step(stepBytes); crowd.poses                 // Float32Array, 12 numbers a joint
//
// `tables` is what mocapella.crowd.image.memory_image gives, `stepBytes` what step_image gives.
const FIRST_POINTER = 52, POINTERS = 15, WORDS = 24, PAGE = 65536

export async function loadCrowd(wasm, tables, { characters, joints, triangles }) {
  const { instance } = await WebAssembly.instantiate(wasm, {})
  const core = instance.exports, memory = core.memory
  let end = memory.buffer.byteLength
  const take = (bytes) => { const at = (end + 63) & ~63; end = at + bytes; return at }
  const at = {
    tables: take(tables.length), step: take(64), records: take(4 * WORDS * characters), goals: take(8 * characters),
    rows: take(4 * characters), poses: take(48 * joints * characters), scratch: take(24 * characters),
    order: take(4 * (characters + 2 * triangles + 2)),
  }
  memory.grow(Math.ceil((end - memory.buffer.byteLength) / PAGE))
  new Uint8Array(memory.buffer, at.tables, tables.length).set(tables)
  const pointers = new Uint32Array(memory.buffer, at.tables + FIRST_POINTER, POINTERS)
  for (let i = 0; i < POINTERS; i++) pointers[i] += at.tables
  const rows = new Int32Array(memory.buffer, at.rows, characters)
  for (let i = 0; i < characters; i++) rows[i] = i
  return {
    records: new Float32Array(memory.buffer, at.records, WORDS * characters),
    goals: new Float32Array(memory.buffer, at.goals, 2 * characters),
    poses: new Float32Array(memory.buffer, at.poses, 12 * joints * characters),
    step(bytes) {
      new Uint8Array(memory.buffer, at.step, bytes.length).set(bytes)
      const wrong = core.crowd_step(at.tables, at.step, at.records, at.goals, characters, at.rows, characters, at.poses, at.scratch, at.order, 1)
      if (wrong) throw new Error(`the crowd core refused its arguments (reason ${wrong})`)
    },
  }
}
