/** The ground: an endless grid that fades out, and the soft shadow of everything that stands on it. */
import * as THREE from 'three'
import { FALL, shadowMaterial, type Character } from './character'
import type { Palette } from './theme'

const SIZE = 320 // texels of the hard shadow along one side, and of the soft one
const SOFT = 160
const VERTEX = `
  varying vec3 vPlace;
  void main() {
    vec4 place = modelMatrix * vec4(position, 1.0);
    vPlace = place.xyz;
    gl_Position = projectionMatrix * viewMatrix * place;
  }`
/* The shadow is hard where a foot touches the ground and wide under what is high above it: a texel counts as far
   away as its own height allows. It is softened in a small picture of its own, so that the ground, which fills the
   screen, reads it once. */
const TAPS = Array.from({ length: 40 }, (_, i) => ({ away: 0.17 * Math.sqrt((i + 0.5) / 40), turn: 2.39996 * i }))
const SOFTEN = `
  varying vec2 place;
  uniform sampler2D hard;
  uniform float reach;
  float seen(vec2 at, float away) {
    float low = texture2D(hard, place + at / reach).r, spread = 0.22 - 0.20 * low;
    return low > 0.001 ? smoothstep(spread, spread * 0.4, away) * (0.03 / (0.03 + spread * spread)) : 0.0;
  }
  void main() {
    // Written out, with places as numbers: without a graphics card sines were a third of the picture's time.
    float sum = ${TAPS.map(({ away, turn }) => `seen(vec2(${(0.5 * away * Math.cos(turn)).toFixed(6)}, ${(0.5 * away * Math.sin(turn)).toFixed(6)}), ${away.toFixed(6)})`).join(' + ')};
    gl_FragColor = vec4(min(1.0, sum / 24.0), 0.0, 0.0, 1.0);
  }`
const FRAGMENT = `
  varying vec3 vPlace;
  uniform vec3 ground, grid, sky;
  uniform vec2 centre, shade;
  uniform float reach, strength, wide;
  uniform sampler2D shadow;
  float line(vec2 p, float s, float t) {
    vec2 g = abs(fract(p / s - 0.5) - 0.5) * s / fwidth(p);
    return 1.0 - min(min(g.x, g.y) / t, 1.0);
  }
  void main() {
    vec2 p = vPlace.xz;
    float r = length(p - centre) / wide;
    float near = exp(-r * r / 26.0);
    float g = max(line(p, 1.0, 1.15) * 0.95, line(p, 0.25, 1.0) * 0.22 * exp(-r * r / 6.0));
    vec3 c = mix(ground, grid, g * near);
    vec2 uv = 0.5 + 0.5 * (p - shade) / reach;
    if (all(lessThan(abs(uv - 0.5), vec2(0.5)))) {
      c *= 1.0 - strength * texture2D(shadow, uv).r;
    }
    gl_FragColor = vec4(mix(sky, c, smoothstep(16.0, 2.5, r)), 1.0);
  }`

export class Ground {
  readonly mesh: THREE.Mesh
  private readonly target: THREE.WebGLRenderTarget
  private readonly soft: THREE.WebGLRenderTarget
  private readonly softener: THREE.ShaderMaterial
  private readonly sheet: THREE.Mesh
  private readonly flat = shadowMaterial()
  private readonly material: THREE.ShaderMaterial
  private readonly scene = new THREE.Scene()
  private readonly camera = new THREE.Camera()

  constructor() {
    this.target = new THREE.WebGLRenderTarget(SIZE, SIZE, { depthBuffer: false, format: THREE.RGBAFormat })
    this.soft = new THREE.WebGLRenderTarget(SOFT, SOFT, { depthBuffer: false, format: THREE.RGBAFormat })
    this.softener = new THREE.ShaderMaterial({
      vertexShader:
        'varying vec2 place; void main() { place = 0.5 + 0.5 * position.xy; gl_Position = vec4(position.xy, 0.0, 1.0); }',
      fragmentShader: SOFTEN,
      depthTest: false,
      depthWrite: false,
      uniforms: { hard: { value: this.target.texture }, reach: { value: 2 } },
    })
    this.sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.softener)
    this.sheet.frustumCulled = false
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      depthWrite: false,
      depthTest: false,
      uniforms: {
        ground: { value: new THREE.Vector3() },
        grid: { value: new THREE.Vector3() },
        sky: { value: new THREE.Vector3() },
        centre: { value: new THREE.Vector2() },
        shade: { value: new THREE.Vector2() },
        reach: { value: 2 },
        strength: { value: 0.4 },
        wide: { value: 1 },
        shadow: { value: this.soft.texture },
      },
    })
    this.mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), this.material)
    this.mesh.renderOrder = -10
    this.mesh.frustumCulled = false
    this.scene.matrixWorldAutoUpdate = false
  }

  recolour(palette: Palette): void {
    const u = this.material.uniforms
    u.ground.value.fromArray(palette.ground)
    u.grid.value.fromArray(palette.grid)
    u.sky.value.fromArray(palette.sky)
    u.strength.value = Math.min(0.9, 1.6 * palette.shadow)
  }

  /** Move under the camera's target; `wide` is how many times further than for one person one can see. */
  follow(x: number, z: number, wide: number): void {
    this.mesh.position.set(x, 0, z)
    this.mesh.scale.setScalar(80 * wide)
    this.material.uniforms.centre.value.set(x, z)
    this.material.uniforms.wide.value = wide
  }

  /** Draw the shadow of these characters into its own picture, seen from straight above; the light has this heading. */
  cast(renderer: THREE.WebGLRenderer, characters: readonly Character[], heading: number): void {
    const sin = Math.sin(heading),
      cos = Math.cos(heading),
      fx = FALL[0] * cos + FALL[1] * sin,
      fz = FALL[1] * cos - FALL[0] * sin
    let lo = [Infinity, Infinity],
      hi = [-Infinity, -Infinity],
      tall = 0
    for (const c of characters)
      for (let i = 0; i < c.positions.length; i += 3) {
        const y = c.positions[i + 1],
          at = [c.positions[i] - fx * y, c.positions[i + 2] - fz * y]
        lo = [Math.min(lo[0], at[0]), Math.min(lo[1], at[1])]
        hi = [Math.max(hi[0], at[0]), Math.max(hi[1], at[1])]
        tall = Math.max(tall, y)
      }
    const any = characters.length > 0 && Number.isFinite(lo[0])
    const reach = any ? Math.max(hi[0] - lo[0], hi[1] - lo[1]) / 2 + 0.25 * Math.max(1, tall) : 2
    const u = this.material.uniforms,
      f = this.flat.uniforms
    u.shade.value.set(any ? (lo[0] + hi[0]) / 2 : 0, any ? (lo[1] + hi[1]) / 2 : 0)
    u.reach.value = reach
    f.centre.value.copy(u.shade.value)
    f.reach.value = reach
    f.fall.value.set(fx, fz)
    const homes = characters.map((c) => c.group.parent)
    for (const c of characters) {
      for (const mesh of c.meshes()) mesh.material = this.flat
      this.scene.add(c.group)
    }
    renderer.setRenderTarget(this.target)
    renderer.setClearColor(0x000000, 0)
    renderer.clear()
    renderer.render(this.scene, this.camera)
    this.softener.uniforms.reach.value = reach
    renderer.setRenderTarget(this.soft)
    renderer.render(this.sheet, this.camera)
    renderer.setRenderTarget(null)
    characters.forEach((c, i) => {
      c.restore()
      homes[i]?.add(c.group)
    })
  }

  dispose(): void {
    this.target.dispose()
    this.soft.dispose()
    this.softener.dispose()
    this.sheet.geometry.dispose()
    this.flat.dispose()
    this.material.dispose()
    this.mesh.geometry.dispose()
  }
}
