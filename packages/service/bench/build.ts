import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** Output folder of the compiled benchmarks and service. */
const builtFolder = fileURLToPath(new URL("../node_modules/.cache/bench/", import.meta.url));

/** Compiles everything that a measured process runs, so that the published JavaScript is measured without a TypeScript loader. */
export function build(): void {
  // Another bench, which runs this one, has done it.
  if (process.env["BENCH_BUILT"] !== undefined) return;
  run("npm", "run", "--silent", "compile");
  run(`${root}node_modules/.bin/tsc`, "-p", `${root}packages/service/bench/tsconfig.build.json`);
  // The service reads its version there.
  copyFileSync(`${root}packages/service/package.json`, `${builtFolder}package.json`);
}

function run(program: string, ...args: readonly string[]): void {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${[program, ...args].join(" ")} failed`);
}

/** Returns the path of a compiled program of this folder. */
export const programOf = (name: string): string => `${builtFolder}bench/${name}.js`;

/** The program that users start, and that of the operator's commands. */
export const startFile = `${root}packages/service/dist/start.js`;
export const commandFile = `${root}packages/service/dist/cli/main.js`;
