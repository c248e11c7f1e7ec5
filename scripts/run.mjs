// Runs the named steps in order, each with its time, and stops at the first that fails.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const env = { ...process.env, PATH: `${root}node_modules/.bin${delimiter}${process.env.PATH}` };

const steps = process.argv
  .slice(2)
  .flatMap((name) =>
    name === "check" ? Object.keys(scripts).filter((key) => key.startsWith("check:")) : name,
  );

for (const step of steps) {
  const started = Date.now();
  console.log(`\n▸ ${step}`);
  const { status } = spawnSync(scripts[step], { cwd: root, env, shell: true, stdio: "inherit" });
  console.log(
    `  ${step}: ${status === 0 ? "passed" : "FAILED"} in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  );
  if (status !== 0) process.exit(status ?? 1);
}
if (steps.includes("vitest")) console.log("\nLeft out: the long tests, which `npm run long` runs.");
