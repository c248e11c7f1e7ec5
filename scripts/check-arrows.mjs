// Refuses an import that docs/architecture.md does not allow. When dependency-cruiser cannot load the TypeScript API, it reads no module
// and reports no violation: so it must have read every source file there is.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { format } from "dependency-cruiser";

const folders = /^packages\/[^/]+\/(src|test|bench)\//;
const sources = readdirSync("packages", { recursive: true })
  .map((file) => `packages/${file.replaceAll("\\", "/")}`)
  .filter((file) => folders.test(file) && file.endsWith(".ts"));

const { stdout, stderr } = spawnSync(
  "depcruise",
  ["packages", "examples", "--config", ".dependency-cruiser.cjs", "--output-type", "json"],
  { encoding: "utf8", shell: true, maxBuffer: 2 ** 30 },
);
process.stderr.write(stderr);
if (stdout === "") process.exit(1);
const result = JSON.parse(stdout);
const { output, exitCode } = await format(result, { outputType: "err" });
process.stdout.write(output);
const read = new Set(result.modules.map(({ source }) => source));
const unread = sources.filter((file) => !read.has(file));
if (unread.length > 0) console.error(`${unread.length} source files were not read, such as ${unread[0]}`);
process.exitCode = exitCode !== 0 || unread.length > 0 ? 1 : 0;
