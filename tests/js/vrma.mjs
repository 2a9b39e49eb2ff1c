// Plays a VRM animation on a VRM character by three-vrm, and prints where humanoid bones are: one object for each time.
//   node vrma.mjs CHARACTER.vrm MOTION.vrma '[0, 0.5]'
import { readFile } from "node:fs/promises";
import { AnimationMixer, Texture, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMLoaderPlugin } from "@pixiv/three-vrm";
import { createVRMAnimationClip, VRMAnimationLoaderPlugin } from "@pixiv/three-vrm-animation";

globalThis.self = globalThis;
const warnings = [];
console.warn = (...words) => warnings.push(words.join(" "));
const loader = new GLTFLoader();
loader.register(() => ({ name: "no pictures in Node", loadTexture: async () => new Texture() }));
loader.register((parser) => new VRMLoaderPlugin(parser));
loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
async function load(path) {
  const bytes = await readFile(path);
  return loader.parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength), "");
}
const vrm = (await load(process.argv[2])).userData.vrm;
const motion = (await load(process.argv[3])).userData.vrmAnimations[0];
const mixer = new AnimationMixer(vrm.scene);
mixer.clipAction(createVRMAnimationClip(motion, vrm)).play();
const poses = JSON.parse(process.argv[4]).map((time) => {
  mixer.setTime(time);
  vrm.update(0);
  vrm.scene.updateMatrixWorld(true);
  const places = {};
  for (const [bone, { node }] of Object.entries(vrm.humanoid.rawHumanBones)) {
    places[bone] = node.getWorldPosition(new Vector3()).toArray();
  }
  return places;
});
console.log(JSON.stringify({ warnings, duration: motion.duration, poses }));
