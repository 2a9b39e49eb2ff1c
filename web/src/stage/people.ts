/**
 * Many characters of one skeleton, drawn at once: one body or one set of bones, moved on the graphics card.
 *
 * World matrices of all joints lie in a texture, row by row, as the engine writes them; each copy of the body reads
 * those of its own character.
 */
import * as THREE from 'three'
import { FRAGMENT, KEY, lightFrom } from './character'
import { heightOf, restPlaces, segmentsOf, type Body, type Skeleton } from './figure'
import { mix, type Palette } from './theme'

const WIDE = 1024 // texels of a row of the texture, of four numbers each
const TINTS = 7

const READ = (joints: number) => `
  uniform highp sampler2D matrices;
  vec4 row(int joint, int k) {
    int i = (gl_InstanceID * ${joints} + joint) * 3 + k;
    return texelFetch(matrices, ivec2(i % ${WIDE}, i / ${WIDE}), 0);
  }`
const VERTEX = (joints: number) => `
  attribute vec4 joint, weight;
  uniform vec3 rest[${joints}], tints[${TINTS}];
  varying vec3 vNormal, vTint, vPlace;
  ${READ(joints)}
  void main() {
    vec3 place = vec3(0.0), turned = vec3(0.0);
    for (int k = 0; k < 4; k++) {
      if (weight[k] == 0.0) continue;
      int j = int(joint[k]);
      vec4 x = row(j, 0), y = row(j, 1), z = row(j, 2);
      vec4 p = vec4(position - rest[j], 1.0);
      place += weight[k] * vec3(dot(x, p), dot(y, p), dot(z, p));
      turned += weight[k] * vec3(dot(x.xyz, normal), dot(y.xyz, normal), dot(z.xyz, normal));
    }
    vNormal = turned;
    vTint = tints[gl_InstanceID % ${TINTS}];
    vPlace = place;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  }`
/* A soft round shadow under the root: at a crowd's size one does not see more of it. */
const SHADE_VERTEX = (joints: number) => `
  varying vec2 at;
  uniform float size;
  ${READ(joints)}
  void main() {
    at = position.xz;
    gl_Position = projectionMatrix * viewMatrix * vec4(row(0, 0).w + size * position.x, 0.004, row(0, 2).w + size * position.z, 1.0);
  }`
const SHADE_FRAGMENT = `
  varying vec2 at;
  uniform float strength;
  void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, strength * pow(max(0.0, 1.0 - dot(at, at)), 2.0)); }`

export class People {
  readonly group = new THREE.Group()
  readonly height: number
  private readonly joints: number
  private readonly material: THREE.ShaderMaterial
  private readonly shade: THREE.ShaderMaterial
  private readonly meshes: { body: THREE.Mesh | null; bones: THREE.Mesh; shade: THREE.Mesh }
  private texture: THREE.DataTexture

  constructor(skeleton: Skeleton, body: Body | null) {
    const rest = restPlaces(skeleton),
      n = skeleton.names.length
    this.joints = n
    this.height = heightOf(skeleton)
    this.texture = textureFor(0)
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX(n),
      fragmentShader: FRAGMENT,
      uniforms: {
        matrices: { value: this.texture },
        rest: { value: Array.from({ length: n }, (_, j) => new THREE.Vector3().fromArray(rest, 3 * j)) },
        tints: { value: Array.from({ length: TINTS }, () => new THREE.Vector3()) },
        lift: { value: 0.12 },
        alpha: { value: 1 },
        key: { value: new THREE.Vector3(...KEY).normalize() },
      },
    })
    this.shade = new THREE.ShaderMaterial({
      vertexShader: SHADE_VERTEX(n),
      fragmentShader: SHADE_FRAGMENT,
      transparent: true,
      depthWrite: false,
      uniforms: { matrices: { value: this.texture }, size: { value: 0.28 * this.height }, strength: { value: 0.3 } },
    })
    this.meshes = {
      body: body ? copies(bodyShape(body), this.material) : null,
      bones: copies(boneShape(skeleton, rest, 0.014 * this.height), this.material),
      shade: copies(new THREE.PlaneGeometry(2, 2).rotateX(-Math.PI / 2), this.shade),
    }
    this.meshes.shade.renderOrder = -5 // over the ground, under those who stand on it
    for (const mesh of Object.values(this.meshes)) if (mesh) this.group.add(mesh)
    this.show(true)
  }

  /** Draw bodies, or bones. */
  show(body: boolean): void {
    const solid = body && this.meshes.body !== null
    if (this.meshes.body) this.meshes.body.visible = solid
    this.meshes.bones.visible = !solid
  }

  /** Take poses: a 3 × 4 matrix by rows for every joint of every character, world rotation and position. */
  pose(matrices: Float32Array): void {
    if (this.texture.image.data!.length < matrices.length) {
      this.texture.dispose()
      this.texture = textureFor(matrices.length / 4)
      this.material.uniforms.matrices.value = this.shade.uniforms.matrices.value = this.texture
    }
    ;(this.texture.image.data as Float32Array).set(matrices)
    this.texture.needsUpdate = true
    for (const mesh of Object.values(this.meshes))
      if (mesh) (mesh.geometry as THREE.InstancedBufferGeometry).instanceCount = matrices.length / (12 * this.joints)
  }

  light(heading: number): void {
    lightFrom(this.material, heading)
  }

  recolour(palette: Palette): void {
    this.material.uniforms.lift.value = palette.dark ? 0.12 : 0.24
    this.shade.uniforms.strength.value = palette.shadow
    const others = [
      palette.body,
      palette.left,
      palette.right,
      palette.accent,
      palette.ramp[1],
      palette.ramp[3],
      palette.ramp[2],
    ]
    others.forEach((colour, i) => {
      this.material.uniforms.tints.value[i].fromArray(mix(palette.body, colour, 0.6) as unknown as number[])
    })
  }

  dispose(): void {
    this.group.removeFromParent()
    for (const mesh of Object.values(this.meshes)) mesh?.geometry.dispose()
    this.material.dispose()
    this.shade.dispose()
    this.texture.dispose()
  }
}

function textureFor(texels: number): THREE.DataTexture {
  const rows = Math.max(1, Math.ceil(texels / WIDE))
  return new THREE.DataTexture(new Float32Array(4 * WIDE * rows), WIDE, rows, THREE.RGBAFormat, THREE.FloatType)
}

function copies(shape: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
  const many = new THREE.InstancedBufferGeometry()
  many.index = shape.index
  for (const [name, values] of Object.entries(shape.attributes)) many.setAttribute(name, values)
  many.instanceCount = 0
  const mesh = new THREE.Mesh(many, material)
  mesh.frustumCulled = false // characters are where their matrices say
  return mesh
}

function bodyShape(body: Body): THREE.BufferGeometry {
  const shape = new THREE.BufferGeometry()
  shape.setAttribute('position', new THREE.BufferAttribute(body.vertices, 3))
  shape.setAttribute('joint', new THREE.BufferAttribute(Float32Array.from(body.joints), 4))
  shape.setAttribute('weight', new THREE.BufferAttribute(body.weights, 4))
  shape.setIndex(new THREE.BufferAttribute(body.faces, 1))
  shape.computeVertexNormals()
  return shape
}

/** A cone along every bone, in the rest pose, moved by the joint that the bone begins at. */
function boneShape(skeleton: Skeleton, rest: Float64Array, thick: number): THREE.BufferGeometry {
  const positions: number[] = [],
    normals: number[] = [],
    joints: number[] = [],
    index: number[] = []
  const up = new THREE.Vector3(0, 1, 0),
    from = new THREE.Vector3(),
    to = new THREE.Vector3()
  for (const segment of segmentsOf(skeleton)) {
    from.fromArray(rest, 3 * segment.from)
    to.fromArray(rest, 3 * segment.to).sub(from)
    const length = to.length()
    if (length < 1e-6) continue
    const cone = new THREE.ConeGeometry(thick, length, 6, 1, false).translate(0, 0.5 * length, 0)
    cone
      .applyQuaternion(new THREE.Quaternion().setFromUnitVectors(up, to.divideScalar(length)))
      .translate(from.x, from.y, from.z)
    const first = positions.length / 3,
      n = cone.getAttribute('position').count
    positions.push(...cone.getAttribute('position').array)
    normals.push(...cone.getAttribute('normal').array)
    index.push(...Array.from(cone.index!.array, (i) => first + i))
    for (let v = 0; v < n; v++) joints.push(segment.from, 0, 0, 0)
    cone.dispose()
  }
  const shape = new THREE.BufferGeometry(),
    weights = joints.map((_, i) => (i % 4 ? 0 : 1))
  shape.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3))
  shape.setAttribute('normal', new THREE.Float32BufferAttribute(normals, 3))
  shape.setAttribute('joint', new THREE.Float32BufferAttribute(joints, 4))
  shape.setAttribute('weight', new THREE.Float32BufferAttribute(weights, 4))
  shape.setIndex(index)
  return shape
}
