// Prints where three.js puts the nodes of a glTF file: for each animation named, for each time, node name → x, y, z.
//   node poses.mjs FILE '{"walk": [0, 0.5]}'
import { readFile } from "node:fs/promises";
import { AnimationMixer, LoopOnce, Texture, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

globalThis.self = globalThis;
const bytes = await readFile(process.argv[2]);
const loader = new GLTFLoader();
loader.register(() => ({ name: "no pictures in Node", loadTexture: async () => new Texture() }));
const gltf = await loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "");
const out = {};
for (const [name, times] of Object.entries(JSON.parse(process.argv[3]))) {
  const mixer = new AnimationMixer(gltf.scene);
  const action = mixer.clipAction(gltf.animations.find((one) => one.name === name));
  action.setLoop(LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  out[name] = times.map((time) => {
    action.paused = false;
    mixer.setTime(time);
    gltf.scene.updateMatrixWorld(true);
    const places = {};
    gltf.scene.traverse((node) => {
      if (node.userData.name) places[node.userData.name] = node.getWorldPosition(new Vector3()).toArray();
    });
    return places;
  });
  mixer.stopAllAction();
}
console.log(JSON.stringify(out));
