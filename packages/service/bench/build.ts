import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Output folder of the compiled benchmarks and service. */
const builtFolder = fileURLToPath(new URL("../node_modules/.cache/bench/", import.meta.url));

/** Each project comes after those that it imports. */
const projects = [
  ...["odata", "reso", "entitlement", "manifest", "store", "delivery", "sample"].map(
    (name) => `packages/${name}/tsconfig.build.json`,
  ),
  "packages/service/bench/tsconfig.build.json",
];

/** Compiles everything that a measured process runs, so that the published JavaScript is measured without a TypeScript loader. */
export function build(): void {
  for (const project of projects) {
    const tsc = `${root}node_modules/.bin/tsc`;
    const { status } = spawnSync(tsc, ["-p", root + project], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
    if (status !== 0) throw new Error(`${project} does not compile`);
  }
}

/** Returns the path of a compiled program of this folder. */
export const programOf = (name: string): string => `${builtFolder}bench/${name}.js`;
