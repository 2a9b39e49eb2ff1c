// node wasm.mjs crowd.wasm FOLDER: plays what FOLDER describes, and writes poses.bin and times there
import fs from 'node:fs'
import { loadCrowd } from '../../native/wasm/crowd.mjs'

const [wasm, folder] = process.argv.slice(2)
const read = (name) => fs.readFileSync(`${folder}/${name}`)
const about = JSON.parse(read('about.json'))
const crowd = await loadCrowd(fs.readFileSync(wasm), read('tables.bin'), about)
const floats = (name) => { const b = read(name); return new Float32Array(b.buffer, b.byteOffset, b.length / 4) }
const bits = (to, from) => new Uint8Array(to.buffer, to.byteOffset, to.byteLength).set(from)
bits(crowd.records, read('records.bin'))
crowd.goals.set(floats('goals.bin'))
const step = read('step.bin')
for (let i = 0; i < about.steps; i++) crowd.step(step)
fs.writeFileSync(`${folder}/poses.bin`, new Uint8Array(crowd.poses.buffer, crowd.poses.byteOffset, crowd.poses.byteLength))
const times = []
for (let i = 0; i < about.rounds; i++) { const c = process.cpuUsage(); for (let k = 0; k < 10; k++) crowd.step(step); const d = process.cpuUsage(c); times.push((d.user + d.system) * 100 / about.characters) }
console.log(JSON.stringify({ ns: Math.min(...times, 1e9) }))
