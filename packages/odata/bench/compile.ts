/*
 * Time to compile a page of each filter of the corpus after it is bound, with other literals each time: compiled
 * anew, and by way of its shape.
 *
 *   node --import tsx packages/odata/bench/compile.ts
 *
 * Every figure is the median of interleaved rounds, in microseconds a filter.
 */
import { corpus } from "./corpus.ts";
import { build, pinned } from "./processes.ts";
import { accepted, line, meanOver, measure, microseconds, ruler } from "./rounds.ts";
import { compilers } from "./subjects.ts";
import { median } from "./timing.ts";

/** Greatest geometric mean, in nanoseconds. */
const goals: Readonly<Record<(typeof compilers)[number], number>> = {
  SQLite: 15_000,
  "SQLite, cached shape": 2000,
  PostgreSQL: 15_000,
  "PostgreSQL, cached shape": 2000,
};

build();
const results = await measure(compilers);
const columns = compilers.map((name) => results.get(name) ?? []);

console.log(line("filter", ...compilers));
console.log(ruler(compilers.length + 1));
for (const [i, filter] of Object.keys(corpus).entries()) {
  const cells = columns.map((times) => (times[i] == null ? "refused" : microseconds(times[i])));
  console.log(line(filter, ...cells));
}
const over = (summary: (times: readonly number[]) => number): readonly string[] =>
  columns.map((times) => microseconds(summary(times.filter((time) => time !== null))));
const means = columns.map((times) => `**${microseconds(meanOver(times, accepted(times)))}**`);
console.log(line("**geometric mean**", ...means));
console.log(line("median", ...over(median)));
console.log(line("worst", ...over((times) => Math.max(...times))));
console.log(line("goal", ...compilers.map((name) => `≤ ${microseconds(goals[name])}`)));
console.log(`\nNode ${process.version}, ${pinned ? "one CPU" : "not pinned to a CPU"}`);
