// Runs the named steps, each with its time: first those that need no other one, as many at a time as there are cores, then vitest, which
// uses all cores. Ends with the faults of all steps, and without vitest, if one of the others fails.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
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
const failed = [];

async function run(step, stdio) {
  const started = Date.now();
  const child = spawn(scripts[step], { cwd: root, env, shell: true, stdio });
  const written = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => written.push(bytes));
  if (stdio === "inherit") console.log(`\n▸ ${step}`);
  const [status] = await once(child, "close");
  if (status !== 0) failed.push(step);
  const time = ((Date.now() - started) / 1000).toFixed(1);
  if (stdio !== "inherit") process.stdout.write(`\n▸ ${step}\n${Buffer.concat(written)}`);
  console.log(`  ${step}: ${status === 0 ? "passed" : "FAILED"} in ${time} s`);
}

const waiting = steps.filter((step) => step !== "vitest");
const runNext = async () => {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift())
    await run(step, ["ignore", "pipe", "pipe"]);
};
await Promise.all(Array.from({ length: availableParallelism() }, runNext));
if (failed.length === 0 && steps.includes("vitest")) {
  await run("vitest", "inherit");
  console.log("\nLeft out: the long tests, which `npm run long` runs.");
}
if (failed.length > 0) {
  console.log(`\nFailed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
