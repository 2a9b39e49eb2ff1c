// Prints what Khronos' validator says of each glTF file named, as one JSON object: path → its list of issues.
import { readFile } from "node:fs/promises";
import { validateBytes } from "gltf-validator";

const found = {};
for (const path of process.argv.slice(2)) {
  const report = await validateBytes(new Uint8Array(await readFile(path)), { uri: path, maxIssues: 100 });
  found[path] = report.issues;
}
console.log(JSON.stringify(found));
