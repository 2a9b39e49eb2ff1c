/** Types of mocapella.mjs. */
export const ALL: -1
export interface Joint { name: string; parent: number; offset: number[] }
export interface Now { x: number; z: number; heading: number; phase: number; point: [number, number]; goal: [number, number]; planted: [boolean, boolean, boolean, boolean] }
export interface Change { name: string; source: number; sourceNode: number; target: number; targetNode: number; at: [number, number]; to: [number, number]; phase: number; mirroredPhase: number; seconds: number }
export interface Doing { activity: 'free' | 'called' | 'waiting' | 'changing'; block: number; change: number; seconds: number }
export interface Start { x?: number; z?: number; heading?: number; phase?: number; point?: readonly number[] }
export class Library {
  static readonly file: 'mocapella-relaxed.wasm' | 'mocapella.wasm'
  static load(wasm: Uint8Array | ArrayBuffer): Promise<Library>
  network(mocar: Uint8Array): Network
}
export class Network {
  readonly name: string
  readonly blocks: readonly Network[]
  readonly changes: readonly Change[]
  readonly harmonics: number
  readonly joints: readonly Joint[]
  readonly ends: readonly { joint: number; offset: number[] }[]
  readonly nodes: readonly { name: string; at: [number, number] }[]
  readonly triangles: readonly number[][]
  readonly outline: readonly { at: [number, number]; loop: number }[]
  nearest(x: number, y: number): [number, number]
  rates(x: number, y: number): { turn: number; speed: number; seconds: number }
  create(count?: number): Characters
  free(): void
}
export class Characters {
  readonly count: number
  begin(character: number, start?: Start): void
  aim(character: number, x: number, y: number): void
  steer(character: number, turn: number, speed: number): void
  ease(seconds: number): void
  noise(radians: number): void
  trigger(character: number, change: number): void
  cancel(character: number): void
  enter(character: number, block: number, x: number, y: number): void
  step(seconds: number): void
  matrices(character: number, into?: Float32Array): Float32Array
  positions(character: number, into?: Float32Array): Float32Array
  locals(character: number, into?: Float32Array): Float32Array
  now(character: number): Now
  doing(character: number): Doing
  free(): void
}
