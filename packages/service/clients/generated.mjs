import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/**
 * Have a client's own program make code from `$metadata`, in a folder of its own.
 *
 * @param {Record<string, object>} files what else the program needs in its folder
 * @returns {Promise<string>} path of the folder, in which the metadata lie as `in/cadastre.edmx`
 */
export async function generate({ root, headers }, name, program, args, files = {}) {
  // Modules are kept by their path: the next server's need another one.
  const folder = here(`generated/${new URL(root).port}-${name}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(`${folder}/in`, { recursive: true });
  // What is made are CommonJS modules.
  for (const [file, content] of Object.entries({ "package.json": { type: "commonjs" }, ...files })) {
    writeFileSync(`${folder}/${file}`, JSON.stringify(content));
  }
  const metadata = await (await fetch(`${root}/$metadata`, { headers })).text();
  writeFileSync(`${folder}/in/cadastre.edmx`, metadata);
  await runProgram(program, args, folder);
  return folder;
}

/**
 * Run a program of an installed package in a folder; what it says is shown if it fails. This process goes on meanwhile: if it stood
 * still for longer than the server keeps unused connections, its next request would go out on a closed one.
 */
export async function runProgram(program, args, folder) {
  await promisify(execFile)(process.execPath, [here(`node_modules/${program}`), ...args], { cwd: folder });
}
