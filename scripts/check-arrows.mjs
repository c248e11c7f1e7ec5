// Refuses an import that docs/architecture.md does not allow, and refuses to pass on nothing:
// dependency-cruiser finds 0 modules, and is content, when it cannot load the TypeScript API.
import { spawnSync } from "node:child_process";

const least = 40;

const { status, stdout, stderr } = spawnSync(
  "depcruise",
  ["packages", "--config", ".dependency-cruiser.cjs"],
  { encoding: "utf8", shell: true },
);
process.stdout.write(stdout + stderr);
const cruised = Number(/(\d+) modules/.exec(stdout)?.[1] ?? 0);
if (cruised < least) console.error(`only ${cruised} modules were read, expected at least ${least}`);
process.exitCode = status !== 0 || cruised < least ? 1 : 0;
