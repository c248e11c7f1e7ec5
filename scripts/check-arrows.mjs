// Refuses an import that docs/architecture.md does not allow. When dependency-cruiser cannot load the TypeScript API, it reads no module and
// reports no violation: so it must have read as many modules as there are.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const folders = /^[^/]+\/(src|test|bench)\//;
const sources = readdirSync("packages", { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => folders.test(file) && file.endsWith(".ts")).length;

const { status, stdout, stderr } = spawnSync(
  "depcruise",
  ["packages", "examples", "--config", ".dependency-cruiser.cjs"],
  { encoding: "utf8", shell: true },
);
process.stdout.write(stdout + stderr);
const cruised = Number(/(\d+) modules/.exec(stdout)?.[1] ?? 0);
if (cruised < sources) console.error(`only ${cruised} modules were read, expected at least ${sources}`);
process.exitCode = status !== 0 || cruised < sources ? 1 : 0;
