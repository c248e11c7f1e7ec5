/*
 * Time until hostile filters are refused: the first call of a fresh process, by this package and, after
 * `peers.ts` has installed them, by the other parsers.
 *
 *   node --import tsx packages/odata/bench/hostile.ts [folder of RESO's parser, see peers.ts]
 *
 * Without the limit on the length of the text, which alone would refuse all of them, the other limits are seen
 * at work. A process that has not answered after ten seconds is stopped.
 */
import { existsSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { hostile } from "./hostile-filters.ts";
import { peers } from "./peers/adapters.ts";
import { answer, build, start } from "./processes.ts";
import { line, ruler } from "./rounds.ts";
import { titleOf } from "./subjects.ts";

const retryPolicy = 10_000;

/** What happened, and after how many milliseconds; one of several runs, the middle one. */
async function outcome(subject: string, filter: string, runs: number): Promise<string> {
  const answers: { readonly what: string; readonly time: number }[] = [];
  for (let run = 0; run < runs; run += 1) {
    const child = start("hostile-worker.ts", [subject, filter]);
    await answer(child);
    child.send("go");
    const timeout = new AbortController();
    const late = after(retryPolicy, { what: "no answer", time: retryPolicy }, { signal: timeout.signal });
    const result = await Promise.race([answer(child), late.catch(() => undefined)]);
    timeout.abort();
    child.kill("SIGKILL");
    answers.push((result as (typeof answers)[number] | undefined) ?? { what: "the process died", time: 0 });
  }
  const middle = answers.toSorted((a, b) => a.time - b.time)[Math.floor(runs / 2)];
  return middle === undefined ? "" : `${middle.what}, ${middle.time.toFixed(middle.time < 10 ? 2 : 0)} ms`;
}

build();
const installed = existsSync(new URL("peers/node_modules", import.meta.url));
const others = installed ? [...peers, ...process.argv.slice(2)] : [];
const filters = Object.keys(hostile);
console.log(line("parser", ...filters));
console.log(ruler(filters.length + 1));
for (const subject of ["parse", "parse, any length", ...others]) {
  const runs = others.includes(subject) ? 1 : 5;
  const cells: string[] = [];
  for (const filter of filters) cells.push(await outcome(subject, filter, runs));
  console.log(line(titleOf(subject), ...cells));
}
