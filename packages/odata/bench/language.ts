/*
 * Time to read each filter of the corpus: parsed; parsed and bound; bound by way of its shape, with other
 * literals each time; and, for comparison, parsed by the grammar that the fast path is checked against.
 *
 *   node --import tsx packages/odata/bench/language.ts
 *
 * Every figure is the median of interleaved rounds, in microseconds a filter.
 */
import { corpus } from "./corpus.ts";
import { build, pinned } from "./processes.ts";
import { accepted, line, meanOver, measure, microseconds, ruler } from "./rounds.ts";
import { stages } from "./subjects.ts";

/** Greatest geometric mean, in nanoseconds. */
const goals: Partial<Record<(typeof stages)[number], number>> = {
  parse: 2000,
  "parse, bind": 5000,
};

build();
const results = await measure(stages);
const columns = stages.map((name) => results.get(name) ?? []);

console.log(line("filter", ...stages));
console.log(ruler(stages.length + 1));
for (const [i, filter] of Object.keys(corpus).entries()) {
  const cells = columns.map((times) => (times[i] == null ? "refused" : microseconds(times[i])));
  console.log(line(filter, ...cells));
}
const means = columns.map((times) => meanOver(times, accepted(times)));
console.log(line("**geometric mean**", ...means.map((mean) => `**${microseconds(mean)}**`)));
const limits = stages.map((name) => goals[name]);
console.log(line("goal", ...limits.map((goal) => (goal === undefined ? "" : `≤ ${microseconds(goal)}`))));
console.log(`\nNode ${process.version}, ${pinned ? "one CPU" : "not pinned to a CPU"}`);
