// Prints the hashes of the scenes, from the module that is named.
import { readFile } from "node:fs/promises";

const module = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const { scene_hash } = module.instance.exports;
for (let scene = 0; scene < 4; scene++) {
    const hash = BigInt.asUintN(64, scene_hash(scene));
    console.log(`scene ${scene}: ${hash.toString(16).padStart(16, "0")}`);
}
