/*
 * Time to parse the filters of the corpus, beside the other OData parsers that the npm registry has. They are
 * installed on the first run, outside of the workspace.
 *
 *   node --import tsx packages/odata/bench/peers.ts [folder]
 *
 * RESO's parser is not in the registry: `folder` is `odata-expression-parser` of a checkout of
 * https://github.com/RESOStandards/reso-tools, built there with `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { peers } from "./peers/adapters.ts";
import { build, pinned } from "./processes.ts";
import { accepted, line, meanOver, measure, microseconds, ruler } from "./rounds.ts";
import { titleOf } from "./subjects.ts";

const folder = fileURLToPath(new URL("peers/", import.meta.url));
if (!existsSync(`${folder}node_modules`)) {
  const manifest = new URL("../../../package.json", import.meta.url);
  const { packageManager } = JSON.parse(readFileSync(manifest, "utf8")) as { packageManager: string };
  const install = ["install", "--ignore-workspace", "--frozen-lockfile", "--ignore-scripts"];
  const { status } = spawnSync("npx", ["-y", packageManager, ...install], { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error("the peers could not be installed");
}

const subjects = ["parse", "parse, bind", ...peers, ...process.argv.slice(2)];
build();
const results = await measure(subjects);

const ours = results.get("parse") ?? [];
const common = accepted(ours).filter((filter) =>
  [...results.values()].every((times) => times[filter] != null),
);

const rows = [...results].map(([subject, times]) => {
  const own = accepted(times);
  return {
    title: titleOf(subject),
    ratio: meanOver(times, common) / meanOver(ours, common),
    mean: meanOver(times, common),
    count: own.length,
    ownRatio: meanOver(times, own) / meanOver(ours, own),
  };
});
const headings = ["parser", "times ours", `µs, the ${common.length} that all accept`, "accepted"];
console.log(line(...headings, "times ours, what it accepts"));
console.log(ruler(headings.length + 1));
for (const { title, ratio, mean, count, ownRatio } of rows.toSorted((a, b) => a.mean - b.mean)) {
  const cells = [ratio.toFixed(1), microseconds(mean), `${count} of ${ours.length}`, ownRatio.toFixed(1)];
  console.log(line(title, ...cells));
}
console.log(`\nNode ${process.version}, ${pinned ? "one CPU" : "not pinned to a CPU"}`);
