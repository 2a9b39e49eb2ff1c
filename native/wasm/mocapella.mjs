// Characters of a network in a page or in Node, by mocapella.wasm: the C library of mocapella.h in WebAssembly.
//
//   const library = await Library.load(wasmBytes)                   // an ArrayBuffer or Uint8Array of mocapella.wasm
//   const network = library.network(mocarBytes)                     // of a .mocar file
//   const crowd = network.create(10)
//   crowd.steer(0, 0.2, 1.3); crowd.step(1 / 60)
//   crowd.matrices(0)                                                // Float32Array, 12 numbers a joint
//
// Units and meanings are those of mocapella.h. What the library refuses is thrown as an Error with its reason.
const COUNTS = { joints: 0, ends: 1, nodes: 2, triangles: 3, outline: 4, harmonics: 5 }
const ROOM = 128 // bytes for what functions hand back
export const ALL = -1

export class Library {
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
    return new Network(this, this.view.getUint32(this.room, true))
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
    this.out = this.library.core.malloc(48 * network.joints.length)
    if (!this.out) throw new Error('there is no memory for poses')
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
  step(seconds) { this.library.check(this.library.core.mocapella_step(this.handle, seconds)) }

  read(what, character, each) {
    const n = each * this.network.joints.length
    this.library.check(this.library.core[what](this.handle, character, this.out, n))
    return this.library.floats(this.out, n).slice()
  }

  /** World rotation and position of every joint, a 3 × 4 matrix by rows. */
  matrices(character) { return this.read('mocapella_matrices', character, 12) }
  positions(character) { return this.read('mocapella_positions', character, 3) }
  /** Against the parent: position x y z, quaternion x y z w. */
  locals(character) { return this.read('mocapella_locals', character, 7) }

  now(character) {
    const { room } = this.library
    this.library.check(this.library.core.mocapella_now(this.handle, character, room))
    const { view } = this.library, number = (k) => view.getFloat64(room + 8 * k, true), planted = view.getInt32(room + 64, true)
    return { x: number(0), z: number(1), heading: number(2), phase: number(3), point: [number(4), number(5)], goal: [number(6), number(7)], planted: [1, 2, 4, 8].map((bit) => (planted & bit) > 0) }
  }

  free() { this.library.core.free(this.out); this.library.core.mocapella_free(this.handle); this.handle = this.out = 0 }
}
