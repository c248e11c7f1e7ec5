import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.mjs";

/** Alias of an installed compiler → its version. */
export const compilers = { "typescript-5.4": "5.4.5", "typescript-5.9": "5.9.3", "typescript-7": "7.0.2" };

/** Each compiler with the ways of resolving modules that it is run with. */
const runs = [
  ["typescript-5.4", "node16", "node16"],
  ["typescript-5.4", "esnext", "bundler"],
  ["typescript-5.9", "nodenext", "nodenext"],
  ["typescript-7", "nodenext", "nodenext"],
  ["typescript-7", "esnext", "bundler"],
];

/**
 * Compiles a program that imports all `entries`, together with the types of all that they import, by several compilers.
 *
 * @param tools folder with the compilers, apart from `folder`, which has the packages
 * @param types names of type packages in `tools`, such as those of Node
 */
export async function checkTypes(folder, entries, tools, types) {
  const place = join(folder, types.length === 0 ? "types-of-browsers" : "types");
  mkdirSync(place);
  const imports = entries.map((name, i) => `import * as entry${i} from "${name}";\nvoid entry${i};\n`);
  writeFileSync(join(place, "consumer.mts"), imports.join(""));
  for (const [compiler, module, moduleResolution] of runs) {
    const compilerOptions = {
      noEmit: true,
      strict: true,
      target: "es2022",
      lib: types.length === 0 ? ["es2022", "dom"] : ["es2022"],
      module,
      moduleResolution,
      skipLibCheck: false,
      types,
      typeRoots: [join(tools, "node_modules", "@types")],
    };
    const project = join(place, `${compiler}-${moduleResolution}.json`);
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ["consumer.mts"] }));
    const program = join(tools, "node_modules", compiler, "bin", "tsc");
    await run(process.execPath, [program, "-p", project], place).catch((error) => {
      throw new Error(`${compiler}, moduleResolution ${moduleResolution}: ${error.message}`);
    });
  }
  return runs.length;
}
