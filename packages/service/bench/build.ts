import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Where the benches' own programs are compiled to, beside the service's sources. */
const builtFolder = fileURLToPath(new URL("../node_modules/.cache/bench/", import.meta.url));

/** In the order in which they import each other. */
const projects = [
  ...["odata", "reso", "entitlement", "manifest", "store", "delivery", "sample"].map(
    (name) => `packages/${name}/tsconfig.build.json`,
  ),
  "packages/service/bench/tsconfig.build.json",
];

/** Compile all that a measured process runs: it is what is published, and no loader rewrites it on the way. */
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

/** A compiled program of this folder. */
export const programOf = (name: string): string => `${builtFolder}bench/${name}.js`;
