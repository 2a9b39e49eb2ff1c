// Prints where the solver of three.js puts knee and ankle of legs that follow targets, as MikuMikuDance has them.
//   node legs.mjs '{"knee": [x, y, z], "ankle": [x, y, z], "legs": [{"hip": [x, y, z], "turn": [x, y, z, w], "goal": …}]}'
import { Bone, BufferAttribute, BufferGeometry, Skeleton, SkinnedMesh, Vector3 } from "three";
import { CCDIKSolver } from "three/addons/animation/CCDIKSolver.js";

const rig = JSON.parse(process.argv[2]);
const out = rig.legs.map((leg) => {
  const [hip, knee, ankle, goal, top] = [0, 1, 2, 3, 4].map(() => new Bone());
  top.position.fromArray(leg.hip);
  top.quaternion.fromArray(leg.turn);
  knee.position.fromArray(rig.knee);
  ankle.position.fromArray(rig.ankle);
  goal.position.fromArray(leg.goal);
  top.add(hip);
  hip.add(knee);
  knee.add(ankle);
  const geometry = new BufferGeometry();
  geometry.setAttribute("skinIndex", new BufferAttribute(new Uint16Array(4), 4));
  geometry.setAttribute("skinWeight", new BufferAttribute(new Float32Array([1, 0, 0, 0]), 4));
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(3), 3));
  const mesh = new SkinnedMesh(geometry);
  mesh.add(top, goal);
  mesh.bind(new Skeleton([hip, knee, ankle, goal]));
  mesh.updateMatrixWorld(true);
  const knees = { index: 1, rotationMin: new Vector3(0.01, 0, 0), rotationMax: new Vector3(Math.PI, 0, 0) };
  new CCDIKSolver(mesh, [{ target: 3, effector: 2, links: [knees, { index: 0 }], iteration: 400 }]).update();
  mesh.updateMatrixWorld(true);
  return [knee, ankle].map((bone) => bone.getWorldPosition(new Vector3()).toArray());
});
console.log(JSON.stringify(out));
