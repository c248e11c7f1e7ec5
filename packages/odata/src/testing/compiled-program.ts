import { mkdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { compilePackages } from "./compiled-packages.ts";

/** Folder of the packages. */
const packages = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Compiles a program that tests start as a process, so that it imports the compiled packages: it starts in a third of the time of its
 * source.
 *
 * @param file the program, in the `test` folder of a package
 * @returns the path of the compiled program, which is inside the package because it imports the package's dependencies
 */
export async function compileProgram(file: string): Promise<string> {
  await compilePackages();
  const [, folder = "", name = ""] = /^(.*)\/test\/(.*)\.ts$/.exec(file) ?? [];
  const output = join(folder, "node_modules/.cache/test-programs", `${name}.mjs`);
  // Another process may compile and run the same program.
  const beside = `${output}.${process.pid}`;
  mkdirSync(dirname(output), { recursive: true });
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "compiled-packages",
        enforce: "pre",
        resolveId: (id, importer) => {
          if (importer === undefined) return undefined;
          const [, owner] = /^@cadastre\/(\w+)\/testing$/.exec(id) ?? [];
          // Test support is bundled, because it is not compiled with its package; of an index only the modules in use.
          if (owner !== undefined)
            return { id: join(packages, owner, "src/testing/index.ts"), moduleSideEffects: false };
          if (!id.startsWith(".")) return { id, external: true, moduleSideEffects: false };
          const path = fileURLToPath(new URL(id, `file://${importer}`));
          const compiled = path.replace(/^(.*\/packages\/\w+)\/src\/(?!testing\/)(.*)\.ts$/, "$1/dist/$2.js");
          return compiled === path ? undefined : { id: compiled, external: "absolute" };
        },
      },
    ],
    build: {
      ssr: file,
      outDir: dirname(output),
      emptyOutDir: false,
      minify: false,
      target: "node20",
      rolldownOptions: { output: { entryFileNames: basename(beside) } },
    },
  });
  renameSync(beside, output);
  return output;
}
