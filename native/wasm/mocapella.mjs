// Characters of a network in a page or in Node, by mocapella.wasm: the C library of mocapella.h in WebAssembly.
//
//   const library = await Library.load(wasmBytes)                   // an ArrayBuffer or Uint8Array of the file Library.file
//   const network = library.network(mocarBytes)                     // of a .mocar file
//   const crowd = network.create(10)
//   crowd.steer(0, 0.2, 1.3); crowd.step(1 / 60)
//   crowd.matrices(0)                                                // Float32Array, 12 numbers a joint
//   crowd.trigger(0, 0)                                              // of a hybrid network: network.changes[0]
//
// Units and meanings are those of mocapella.h. What the library refuses is thrown as an Error with its reason.
const COUNTS = { joints: 0, ends: 1, nodes: 2, triangles: 3, outline: 4, harmonics: 5, blocks: 6, changes: 7 }
const ACTIVITIES = ['free', 'called', 'waiting', 'changing']
const ROOM = 128 // bytes for what functions hand back
// A module with one relaxed_madd, a product and a sum in one instruction: engines that know none refuse it.
const FUSED = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 19, 1, 17, 0, ...Array(3).fill([65, 0, 253, 15]).flat(), 253, 133, 2, 11]
export const ALL = -1

export class Library {
  /** Which of the two builds this engine runs fastest; mocapella.wasm runs in all of them. */
  static get file() { return WebAssembly.validate(Uint8Array.from(FUSED)) ? 'mocapella-relaxed.wasm' : 'mocapella.wasm' }

  /** @param {Uint8Array | ArrayBuffer} wasm */
  static async load(wasm) {
    const { instance } = await WebAssembly.instantiate(wasm, {})
    return new Library(instance.exports)
  }

  constructor(core) {
    this.core = core
    this.room = core.malloc(ROOM)
    if (core.mocapella_api_version() !== 1) throw new Error('mocapella.wasm is of another version than mocapella.mjs')
  }

  /** Views into the library's memory; made anew each time, since the memory may have grown. */
  get view() { return new DataView(this.core.memory.buffer) }
  floats(at, n) { return new Float32Array(this.core.memory.buffer, at, n) }
  text(at) {
    const bytes = new Uint8Array(this.core.memory.buffer)
    let end = at
    while (bytes[end]) end++
    return new TextDecoder().decode(bytes.slice(at, end))
  }
  check(status) { if (status) throw new Error(this.text(this.core.mocapella_error())) }

  /** @param {Uint8Array} mocar */
  network(mocar) {
    const at = this.core.malloc(mocar.length)
    if (!at) throw new Error('there is no memory for the network')
    new Uint8Array(this.core.memory.buffer, at, mocar.length).set(mocar)
    const status = this.core.mocapella_parse(at, mocar.length, this.room)
    this.core.free(at)
    this.check(status)
    const network = new Network(this, this.view.getUint32(this.room, true))
    network.readBlocks()
    return network
  }
}

export class Network {
  constructor(library, handle) {
    this.library = library
    this.handle = handle
    const { core, room } = library
    const count = (what) => { library.check(core.mocapella_count(handle, COUNTS[what], room)); return library.view.getInt32(room, true) }
    const list = (what, one) => Array.from({ length: count(what) }, (_, i) => one(i))
    const offset = () => Array.from(library.floats(room + 16, 3))
    this.harmonics = count('harmonics')
    this.joints = list('joints', (i) => {
      library.check(core.mocapella_joint(handle, i, room, room + 4, room + 16))
      return { name: library.text(library.view.getUint32(room, true)), parent: library.view.getInt32(room + 4, true), offset: offset() }
    })
    this.ends = list('ends', (i) => { library.check(core.mocapella_end(handle, i, room, room + 16)); return { joint: library.view.getInt32(room, true), offset: offset() } })
    this.nodes = list('nodes', (i) => { library.check(core.mocapella_node(handle, i, room, room + 16)); return { name: library.text(library.view.getUint32(room, true)), at: this.pair(room + 16) } })
    this.triangles = list('triangles', (i) => { library.check(core.mocapella_triangle(handle, i, room)); return [0, 4, 8].map((k) => library.view.getInt32(room + k, true)).filter((node) => node >= 0) })
    this.outline = list('outline', (i) => { library.check(core.mocapella_outline(handle, i, room + 16, room)); return { at: this.pair(room + 16), loop: library.view.getInt32(room, true) } })
  }

  /** Blocks of a hybrid network, the first of which is the network itself, and the captured changes between them. */
  readBlocks() {
    const { library, handle } = this, { core, room } = library
    const count = (what) => { library.check(core.mocapella_count(handle, COUNTS[what], room)); return library.view.getInt32(room, true) }
    this.blocks = Array.from({ length: count('blocks') }, (_, i) => {
      library.check(core.mocapella_block(handle, i, room, room + 4))
      const name = library.text(library.view.getUint32(room, true)), own = i ? new Network(library, library.view.getUint32(room + 4, true)) : this
      own.name = name
      return own
    })
    this.changes = Array.from({ length: count('changes') }, (_, i) => {
      library.check(core.mocapella_change(handle, i, room))
      const word = (k) => library.view.getInt32(room + 4 * k, true), number = (at) => library.view.getFloat64(room + at, true)
      return {
        name: library.text(library.view.getUint32(room, true)), source: word(1), sourceNode: word(2), target: word(3), targetNode: word(4),
        at: this.pair(room + 24), to: this.pair(room + 40), phase: number(56), mirroredPhase: number(64), seconds: number(72),
      }
    })
    for (const block of this.blocks) Object.assign(block, { blocks: this.blocks, changes: this.changes })
  }

  pair(at) { return [this.library.view.getFloat64(at, true), this.library.view.getFloat64(at + 8, true)] }

  /** The point of the network that is nearest to a place in the plane. */
  nearest(x, y) {
    this.library.check(this.library.core.mocapella_nearest(this.handle, x, y, this.library.room))
    return this.pair(this.library.room)
  }

  /** Turn rate (rad/s), speed (m/s) and seconds of a cycle at a point. */
  rates(x, y) {
    const { core, room } = this.library
    this.library.check(core.mocapella_rates(this.handle, x, y, room, room + 4, room + 8))
    const [turn, speed, seconds] = this.library.floats(room, 3)
    return { turn, speed, seconds }
  }

  create(count = 1) {
    this.library.check(this.library.core.mocapella_create(this.handle, count, this.library.room))
    return new Characters(this, count, this.library.view.getUint32(this.library.room, true))
  }

  free() { this.library.core.mocapella_network_free(this.handle); this.handle = 0 }
}

export class Characters {
  constructor(network, count, handle) {
    this.network = network
    this.library = network.library
    this.count = count
    this.handle = handle
    this.out = this.room = 0 // where poses are read from, and how many floats it holds
  }

  /** Begin again: on the ground at x, z (m), heading and cycle phase (rad), blending point. */
  begin(character, { x = 0, z = 0, heading = 0, phase = 0, point = this.network.nodes[0].at } = {}) {
    const { view, room } = this.library
    ;[x, z, heading, phase, point[0], point[1]].forEach((value, k) => view.setFloat64(room + 8 * k, value, true))
    this.library.check(this.library.core.mocapella_begin(this.handle, character, room))
  }

  /** Send the blending point somewhere. */
  aim(character, x, y) { this.library.check(this.library.core.mocapella_aim(this.handle, character, x, y)) }
  /** Choose the blending point for a turn rate (rad/s) and a speed (m/s). */
  steer(character, turn, speed) { this.library.check(this.library.core.mocapella_steer(this.handle, character, turn, speed)) }
  ease(seconds) { this.library.check(this.library.core.mocapella_set_ease(this.handle, seconds)) }
  noise(radians) { this.library.check(this.library.core.mocapella_set_noise(this.handle, radians)) }
  /** Take the captured change of this number; cancel gives it up, as long as it is not played. */
  trigger(character, change) { this.library.check(this.library.core.mocapella_trigger(this.handle, character, change)) }
  cancel(character) { this.library.check(this.library.core.mocapella_cancel(this.handle, character)) }
  /** Go on in another block at once. */
  enter(character, block, x, y) { this.library.check(this.library.core.mocapella_enter(this.handle, character, block, x, y)) }
  step(seconds) { this.library.check(this.library.core.mocapella_step(this.handle, seconds)) }

  /** Poses as a new array, or put into one that is given. */
  read(what, character, each, into) {
    const { core } = this.library, n = each * this.network.joints.length * (character === ALL ? this.count : 1)
    if (n > this.room) {
      const out = core.malloc(4 * n)
      if (!out) throw new Error('there is no memory for poses')
      core.free(this.out)
      Object.assign(this, { out, room: n })
    }
    this.library.check(core[what](this.handle, character, this.out, n))
    const found = this.library.floats(this.out, n)
    if (!into) return found.slice()
    into.set(found)
    return into
  }

  /** World rotation and position of every joint, a 3 × 4 matrix by rows; with ALL of all characters, one after the other. */
  matrices(character, into) { return this.read('mocapella_matrices', character, 12, into) }
  positions(character, into) { return this.read('mocapella_positions', character, 3, into) }
  /** Against the parent: position x y z, quaternion x y z w. */
  locals(character, into) { return this.read('mocapella_locals', character, 7, into) }

  now(character) {
    const { room } = this.library
    this.library.check(this.library.core.mocapella_now(this.handle, character, room))
    const { view } = this.library, number = (k) => view.getFloat64(room + 8 * k, true), planted = view.getInt32(room + 64, true)
    return { x: number(0), z: number(1), heading: number(2), phase: number(3), point: [number(4), number(5)], goal: [number(6), number(7)], planted: [1, 2, 4, 8].map((bit) => (planted & bit) > 0) }
  }

  /** What a character does: its block, the captured change that it takes (−1: none) and the seconds of it that were played. */
  doing(character) {
    const { room } = this.library
    this.library.check(this.library.core.mocapella_doing(this.handle, character, room, room + 4, room + 8, room + 16))
    const { view } = this.library, [activity, block, change] = [0, 4, 8].map((at) => view.getInt32(room + at, true))
    return { activity: ACTIVITIES[activity], block, change, seconds: view.getFloat64(room + 16, true) }
  }

  free() { this.library.core.free(this.out); this.library.core.mocapella_free(this.handle); this.handle = this.out = 0 }
}
