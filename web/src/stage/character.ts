/** One character on the stage: its skinned body, or its skeleton as solid bones, moved by poses. */
import * as THREE from 'three'
import {
  feetOf,
  headingOf,
  heightOf,
  jointPositions,
  restPlaces,
  segmentsOf,
  sidesOf,
  type Body,
  type Foot,
  type Pose,
  type Side,
  type Skeleton,
} from './figure'
import { mix, type Colour, type Palette } from './theme'

/* Light as in the pictures: sky from above, one key light, a rim against the ground. Colours are drawn as they are
   in the tokens, so nothing is converted to linear light and back. */
const VERTEX = `
  #include <common>
  #include <skinning_pars_vertex>
  attribute vec3 tint;
  varying vec3 vNormal, vTint, vPlace;
  void main() {
    #include <beginnormal_vertex>
    #include <begin_vertex>
    #ifdef USE_SKINNING
      #include <skinbase_vertex>
      #include <skinnormal_vertex>
      #include <skinning_vertex>
    #endif
    vec4 place = vec4(transformed, 1.0);
    vec3 n = objectNormal;
    #ifdef USE_INSTANCING
      place = instanceMatrix * place;
      mat3 im = mat3(instanceMatrix);
      n = im * (n / vec3(dot(im[0], im[0]), dot(im[1], im[1]), dot(im[2], im[2]))); // bones are long and thin
    #endif
    place = modelMatrix * place;
    vNormal = mat3(modelMatrix) * n;
    vTint = tint;
    #ifdef USE_INSTANCING_COLOR
      vTint = instanceColor.rgb;
    #endif
    vPlace = place.xyz;
    gl_Position = projectionMatrix * viewMatrix * place;
  }`
export const FRAGMENT = `
  varying vec3 vNormal, vTint, vPlace;
  uniform float lift, alpha;
  uniform vec3 key;
  void main() {
    vec3 n = normalize(vNormal), v = normalize(cameraPosition - vPlace);
    float d = max(dot(n, key), 0.0), h = 0.5 + 0.5 * n.y, f = pow(1.0 - max(dot(n, v), 0.0), 3.0);
    vec3 c = vTint * (lift + 0.30 * h + 0.62 * d) + vec3(0.16, 0.17, 0.19) * f;
    c += 0.07 * pow(max(dot(n, normalize(key + v)), 0.0), 38.0);
    gl_FragColor = vec4(c, alpha);
  }`
/* The shadow's own pass: the body pressed flat along the light; red keeps how high above the ground it was. */
const SHADOW_VERTEX = `
  #include <common>
  #include <skinning_pars_vertex>
  varying float vHeight;
  uniform vec2 centre, fall;
  uniform float reach;
  void main() {
    #include <begin_vertex>
    #ifdef USE_SKINNING
      #include <skinbase_vertex>
      #include <skinning_vertex>
    #endif
    vec4 place = vec4(transformed, 1.0);
    #ifdef USE_INSTANCING
      place = instanceMatrix * place;
    #endif
    place = modelMatrix * place;
    vHeight = place.y;
    gl_Position = vec4((place.xz - fall * place.y - centre) / reach, 0.0, 1.0);
  }`
const SHADOW_FRAGMENT = `
  varying float vHeight;
  void main() { gl_FragColor = vec4(clamp(1.0 - vHeight / 2.5, 0.02, 1.0), 0.0, 0.0, 1.0); }`

export const shadowMaterial = (): THREE.ShaderMaterial =>
  new THREE.ShaderMaterial({
    vertexShader: SHADOW_VERTEX,
    fragmentShader: SHADOW_FRAGMENT,
    side: THREE.DoubleSide,
    depthTest: false,
    depthWrite: false,
    blending: THREE.CustomBlending,
    blendEquation: THREE.MaxEquation,
    blendSrc: THREE.OneFactor,
    blendDst: THREE.OneFactor,
    uniforms: { centre: { value: new THREE.Vector2() }, fall: { value: new THREE.Vector2() }, reach: { value: 2 } },
  })

const bodyMaterial = (alpha: number): THREE.ShaderMaterial =>
  new THREE.ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    transparent: alpha < 1,
    depthWrite: alpha === 1,
    uniforms: { lift: { value: 0.12 }, alpha: { value: alpha }, key: { value: new THREE.Vector3(...KEY).normalize() } },
  })

/** Where the light comes from, and how far shadows fall along x and z per metre of height, seen by the camera's heading 0. */
export const KEY = [0.42, 0.76, 0.5] as const
export const FALL = [0.35, 0.2] as const

const tintOf = (palette: Palette, side: Side): Colour =>
  side === 'M' ? palette.body : mix(palette.body, side === 'L' ? palette.left : palette.right, 0.56)

const UP = new THREE.Vector3(0, 1, 0)

export function lightFrom(material: THREE.ShaderMaterial, heading: number): void {
  ;(material.uniforms.key.value as THREE.Vector3)
    .set(...KEY)
    .normalize()
    .applyAxisAngle(UP, heading)
}

export class Character {
  readonly group = new THREE.Group()
  readonly feet: Foot[]
  readonly height: number
  /** World positions of joints and end sites, as drawn. */
  readonly positions: Float64Array
  heading = 0
  posed = false
  private readonly bones: THREE.Bone[] = []
  private readonly sides: Side[]
  private readonly segments
  private readonly material: THREE.ShaderMaterial
  private body: THREE.SkinnedMesh | null = null
  private readonly sticks: THREE.InstancedMesh
  private readonly balls: THREE.InstancedMesh
  private readonly m = new THREE.Matrix4()
  private readonly q = new THREE.Quaternion()
  private readonly a = new THREE.Vector3()
  private readonly b = new THREE.Vector3()
  private readonly s = new THREE.Vector3()
  private showsBody = true

  constructor(
    readonly skeleton: Skeleton,
    body: Body | null,
    readonly alpha = 1,
  ) {
    const n = skeleton.names.length
    this.feet = feetOf(skeleton)
    this.sides = sidesOf(skeleton)
    this.segments = segmentsOf(skeleton)
    this.positions = new Float64Array(3 * (n + skeleton.endJoints.length))
    this.material = bodyMaterial(alpha)
    for (let j = 0; j < n; j++) {
      const bone = new THREE.Bone(),
        p = skeleton.parents[j]
      if (p >= 0) {
        bone.position.fromArray(skeleton.offsets as number[], 3 * j)
        this.bones[p].add(bone)
      }
      this.bones.push(bone)
    }
    this.height = heightOf(skeleton)
    const thick = 0.014 * this.height
    const stick = new THREE.ConeGeometry(1, 1, 7, 1, false).translate(0, 0.5, 0)
    this.sticks = this.instanced(stick, this.segments.length)
    this.balls = this.instanced(new THREE.SphereGeometry(1.15 * thick, 10, 7), n)
    this.thick = thick
    this.group.add(this.bones[0], this.sticks, this.balls)
    if (body) this.setBody(body)
    this.show(true)
  }

  private readonly thick: number

  private instanced(shape: THREE.BufferGeometry, count: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(shape, this.material, Math.max(1, count))
    mesh.frustumCulled = false
    mesh.count = count
    return mesh
  }

  private setBody(body: Body): void {
    const shape = new THREE.BufferGeometry()
    shape.setAttribute('position', new THREE.BufferAttribute(body.vertices, 3))
    shape.setAttribute('skinIndex', new THREE.BufferAttribute(body.joints, 4))
    shape.setAttribute('skinWeight', new THREE.BufferAttribute(body.weights, 4))
    shape.setAttribute('tint', new THREE.BufferAttribute(new Float32Array(body.vertices.length), 3))
    shape.setIndex(new THREE.BufferAttribute(body.faces, 1))
    shape.computeVertexNormals()
    const mesh = new THREE.SkinnedMesh(shape, this.material)
    mesh.frustumCulled = false // the bounding sphere is that of the rest pose at the origin
    const at = restPlaces(this.skeleton)
    const inverses = this.bones.map((_, j) =>
      new THREE.Matrix4().makeTranslation(-at[3 * j], -at[3 * j + 1], -at[3 * j + 2]),
    )
    mesh.bind(new THREE.Skeleton(this.bones, inverses), new THREE.Matrix4())
    this.body = mesh
    this.group.add(mesh)
  }

  /** Draw the body, or bones. A character without a body is always drawn as bones. */
  show(body: boolean): void {
    this.showsBody = body
    const solid = body && this.body !== null
    if (this.body) this.body.visible = solid
    this.sticks.visible = this.balls.visible = !solid
    if (!solid && this.posed) this.placeSticks()
  }

  get drawsBody(): boolean {
    return this.showsBody && this.body !== null
  }

  /** Light it from this heading, so that the side one looks at is never dark. */
  light(heading: number): void {
    lightFrom(this.material, heading)
  }

  recolour(palette: Palette): void {
    this.material.uniforms.lift.value = palette.dark ? 0.12 : 0.24
    const colour = new THREE.Color()
    const write = (mesh: THREE.InstancedMesh, i: number, side: Side) => {
      mesh.setColorAt(i, colour.fromArray(tintOf(palette, side) as unknown as number[]))
    }
    this.segments.forEach((s, i) => write(this.sticks, i, s.side))
    this.sides.forEach((s, i) => write(this.balls, i, s))
    for (const mesh of [this.sticks, this.balls]) if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true
    if (!this.body) return
    const shape = this.body.geometry,
      tint = shape.getAttribute('tint') as THREE.BufferAttribute
    const joints = shape.getAttribute('skinIndex'),
      weights = shape.getAttribute('skinWeight')
    for (let v = 0; v < tint.count; v++) {
      let best = 0
      for (let k = 1; k < 4; k++) if (weights.getComponent(v, k) > weights.getComponent(v, best)) best = k
      const c = tintOf(palette, this.sides[joints.getComponent(v, best)])
      tint.setXYZ(v, c[0], c[1], c[2])
    }
    tint.needsUpdate = true
  }

  /** Take a pose: bones, body and positions follow. */
  pose(pose: Pose): void {
    const r = pose.rotations
    for (let j = 0; j < this.bones.length; j++)
      this.bones[j].quaternion.set(r[4 * j + 1], r[4 * j + 2], r[4 * j + 3], r[4 * j])
    if (pose.offsets)
      for (let j = 1; j < this.bones.length; j++) this.bones[j].position.fromArray(pose.offsets as number[], 3 * j)
    this.bones[0].position.set(pose.root[0], pose.root[1], pose.root[2])
    jointPositions(this.skeleton, pose, this.positions)
    this.heading = headingOf(pose)
    this.posed = true
    if (!this.drawsBody) this.placeSticks()
  }

  private placeSticks(): void {
    const at = this.positions
    this.segments.forEach((segment, i) => {
      this.a.fromArray(at as unknown as number[], 3 * segment.from)
      this.b.fromArray(at as unknown as number[], 3 * segment.to).sub(this.a)
      const length = this.b.length()
      this.q.setFromUnitVectors(UP, length > 1e-9 ? this.b.divideScalar(length) : UP)
      this.sticks.setMatrixAt(i, this.m.compose(this.a, this.q, this.s.set(this.thick, length, this.thick)))
    })
    for (let j = 0; j < this.bones.length; j++)
      this.balls.setMatrixAt(j, this.m.makeTranslation(at[3 * j], at[3 * j + 1], at[3 * j + 2]))
    this.sticks.instanceMatrix.needsUpdate = this.balls.instanceMatrix.needsUpdate = true
  }

  /** Meshes that throw the shadow, and the material they are drawn with otherwise. */
  *meshes(): Generator<THREE.Mesh> {
    if (this.drawsBody) yield this.body!
    else {
      yield this.sticks
      yield this.balls
    }
  }

  restore(): void {
    for (const mesh of this.meshes()) mesh.material = this.material
  }

  dispose(): void {
    this.group.removeFromParent()
    this.body?.geometry.dispose()
    this.body?.skeleton.dispose()
    this.sticks.geometry.dispose()
    this.sticks.dispose()
    this.balls.geometry.dispose()
    this.balls.dispose()
    this.material.dispose()
  }
}
