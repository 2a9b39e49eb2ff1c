// Loads a network in WebAssembly, steers a character, and prints its poses as CSV: frame, joint, x, y, z (metres).
//
//   mocapella export walk.moca --for wasm -o embedded
//   node embedded/poses.mjs embedded 120
import fs from 'node:fs'
import { Library } from './mocapella.mjs'

const [folder, frames] = process.argv.slice(2)
const library = await Library.load(fs.readFileSync(`${folder}/${Library.file}`))
const network = library.network(fs.readFileSync(`${folder}/network.mocar`))
const [first, last] = [network.nodes[0], network.nodes.at(-1)]
console.error(`${network.joints.length} joints, ${network.nodes.length} motions`, network.rates(...last.at))

// A character begins at the first motion, and is sent to the last one after half a second.
const walker = network.create(1)
walker.begin(0, { point: first.at })
console.log('frame,joint,x,y,z')
for (let frame = 0; frame < Number(frames); frame++) {
  if (frame === 30) walker.aim(0, ...last.at)
  walker.step(1 / 60)
  const at = walker.positions(0)
  network.joints.forEach(({ name }, j) => console.log([frame, name, ...Array.from(at.subarray(3 * j, 3 * j + 3), (v) => v.toFixed(6))].join()))
}
walker.free()
network.free()
