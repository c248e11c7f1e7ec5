// Executes README.md and the tutorial of a first query: starts the service with the README's own command, runs every `sh run` block of both
// pages in one shell session, and compares each answer with the `json` block that follows.
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const [readme, tutorial] = ["README.md", "docs/tutorials/first-query.md"].map((page) =>
  readFileSync(root + page, "utf8"),
);
const [, startCommand = ""] = /^## Start[\s\S]*?^```sh\n([\s\S]*?)^```/m.exec(readme) ?? [];
const blocks = [
  ...`${readme}\n${tutorial}`.matchAll(/^```sh run\n([\s\S]*?)^```(?:\n+```json\n([\s\S]*?)^```)?/gm),
].map(([, command = "", answer]) => ({ command, answer }));
if (blocks.filter(({ answer }) => answer !== undefined).length < 3)
  throw new Error("README.md and the tutorial have fewer than three answers to compare");

const service = spawn(startCommand.trim(), {
  cwd: root,
  shell: true,
  detached: true,
  stdio: ["ignore", "pipe", "inherit"],
});
const stop = () => {
  try {
    process.kill(-service.pid, "SIGTERM");
  } catch {
    // It has stopped already.
  }
};
process.on("exit", stop);

await new Promise((resolve, reject) => {
  let printed = "";
  service.stdout.on("data", (data) => {
    process.stdout.write(data);
    printed += data;
    if (/serving/i.test(printed) && /curl/.test(printed)) resolve();
  });
  service.on("exit", (code) => reject(new Error(`\`${startCommand.trim()}\` ended with ${code}`)));
  setTimeout(() => reject(new Error("the service did not start within 10 minutes")), 600_000).unref();
});
service.removeAllListeners("exit");

let failed = 0;
let session = "set -eu\n";
for (const { command, answer } of blocks) {
  const { stdout, stderr, status } = spawnSync("bash", ["-c", session + command], {
    cwd: root,
    encoding: "utf8",
  });
  if (answer === undefined) {
    if (status !== 0) failed += 1;
    session += command;
  } else if (status !== 0 || !sameJson(stdout, answer)) {
    failed += 1;
    console.error(`README: the answer differs\n${command}expected\n${answer}got\n${stdout}${stderr}`);
  }
}
console.log(`README: ${blocks.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
stop();
setTimeout(() => process.exit(), 5000).unref();

function sameJson(got, expected) {
  try {
    return isDeepStrictEqual(JSON.parse(got), JSON.parse(expected));
  } catch {
    return false;
  }
}
