// Nanoseconds a character in Node, as JSON: three.js' AnimationMixer blending three clips, and both builds of our
// WebAssembly, of which Node 20 runs that with relaxed SIMD only by an option ("by_option": 1), which is set here.
//
//   node mixer.mjs MOTION.json COUNT ROUNDS THREE|- EMBEDDED|-
//
// MOTION.json: parents, offsets, times (s), clips: three of rotations (x y z w, joint by joint) and roots (x y z).
// THREE is the folder of three.js; EMBEDDED one that `mocapella export --for wasm` wrote. What is "-" is left out.
// The fastest round, the mixer before each of ours, so that both builds find the processor's caches full of other
// things: wall time, which counts other work of the machine, or processor time, which counts Node's compiler and
// collector; the smaller one.
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import v8 from 'node:v8'

const [motionFile, countText, roundsText, threeFolder, embedded] = process.argv.slice(2)
const [count, rounds] = [Number(countText), Number(roundsText)]
const load = (...parts) => import(pathToFileURL(path.resolve(...parts)).href)
const STEP = 1 / 60

async function mixers() {
  const { AnimationClip, AnimationMixer, Bone, QuaternionKeyframeTrack, VectorKeyframeTrack } = await load(threeFolder, 'build/three.module.js')
  const { parents, offsets, times, clips } = JSON.parse(fs.readFileSync(motionFile, 'utf8'))
  const made = clips.map(({ rotations, roots }, k) => new AnimationClip(`${k}`, times.at(-1), [
    ...rotations.map((values, j) => new QuaternionKeyframeTrack(`j${j}.quaternion`, times, values)),
    new VectorKeyframeTrack('j0.position', times, roots),
  ]))
  const characters = Array.from({ length: count }, (_, i) => {
    const bones = offsets.map((offset, j) => { const bone = new Bone(); bone.name = `j${j}`; bone.position.fromArray(offset); return bone })
    parents.forEach((parent, j) => { if (parent >= 0) bones[parent].add(bones[j]) })
    const mixer = new AnimationMixer(bones[0])
    made.forEach((clip, k) => { mixer.clipAction(clip).setEffectiveWeight([0.2, 0.3, 0.5][k]).play() })
    mixer.update(((i * 0.37) % 1) * times.at(-1))
    return { mixer, root: bones[0] }
  })
  return () => characters.forEach(({ mixer, root }) => { mixer.update(STEP); root.updateMatrixWorld(true) })
}

async function wasm(file) {
  const { Library } = await load(embedded, 'mocapella.mjs')
  const library = await Library.load(fs.readFileSync(path.join(embedded, file)))
  const network = library.network(fs.readFileSync(path.join(embedded, 'network.mocar')))
  const crowd = network.create(count)
  const { nodes } = network
  const between = (i) => { const [a, b] = [nodes[i % nodes.length].at, nodes[(i + 1) % nodes.length].at]; return a.map((v, k) => 0.6 * v + 0.4 * b[k]) }
  for (let i = 0; i < count; i++) crowd.begin(i, { x: i, phase: (i * 2.4) % 6.28, point: between(i) })
  let round = 0
  return () => {
    if (round++ % 5 === 0) for (let i = 0; i < count; i++) crowd.aim(i, ...between(i + round))
    crowd.step(STEP)
  }
}

// The build that mocapella.mjs chooses; by_option: only with an option of V8, which is on from here.
async function chosen() {
  const { Library } = await load(embedded, 'mocapella.mjs'), without = Library.file
  if (process.versions.node.startsWith('20.')) v8.setFlagsFromString('--experimental-wasm-relaxed-simd')
  return { file: Library.file, byOption: Library.file !== without }
}

const best = {}, ours = {}
const mixer = threeFolder === '-' ? null : await mixers()
if (embedded !== '-') {
  ours.wasm = await wasm('mocapella.wasm')
  const { file, byOption } = await chosen()
  if (file !== 'mocapella.wasm') ours.relaxed = await wasm(file)
  if (byOption) best.by_option = 1
}
function time(name, run) {
  const before = process.cpuUsage(), began = performance.now()
  run()
  const wall = 1e6 * (performance.now() - began), used = process.cpuUsage(before)
  const ns = Math.min(wall, 1e3 * (used.user + used.system) || wall) / count
  best[name] = Math.min(best[name] ?? Infinity, ns)
}
for (let round = 0; round < rounds; round++) {
  if (mixer && embedded === '-') time('mixer', mixer)
  for (const [name, run] of Object.entries(ours)) {
    if (mixer) time('mixer', mixer)
    time(name, run)
  }
}
console.log(JSON.stringify(best))
