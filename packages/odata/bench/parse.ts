/*
 * Time to parse the filters of the corpus, by the fast path (with its checks) and by the grammar.
 *
 *   node --conditions=@cadastre/source --import tsx packages/odata/bench/parse.ts
 *
 * Every figure is the median of interleaved rounds, in nanoseconds a filter.
 */
import { expressionByGrammar } from "../src/syntax/grammar/index.ts";
import { defaultLimits, parseFilter } from "../src/syntax/index.ts";
import { corpus } from "./corpus.ts";

const rounds = 9;
/** Length of one round, in milliseconds. */
const roundTime = 4;

const parsers = {
  parseFilter: (text: string): unknown => parseFilter(text),
  grammar: (text: string): unknown => expressionByGrammar(text, defaultLimits),
} as const;
type Parser = keyof typeof parsers;

/** Calls are made in batches so that the clock is read seldom. */
const batch = 64;

function nanoseconds(parse: (text: string) => unknown, text: string): number {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  while (elapsed < roundTime) {
    for (let i = 0; i < batch; i += 1) parse(text);
    calls += batch;
    elapsed = performance.now() - start;
  }
  return (elapsed * 1e6) / calls;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const names = Object.keys(parsers) as Parser[];
const samples = new Map(
  Object.keys(corpus).map((name) => [name, { parseFilter: [], grammar: [] } as Record<Parser, number[]>]),
);
for (let round = 0; round < rounds; round += 1) {
  for (const [name, text] of Object.entries(corpus)) {
    for (const parser of names) samples.get(name)?.[parser].push(nanoseconds(parsers[parser], text));
  }
}

console.log(["filter".padEnd(30), ...names.map((name) => name.padStart(12))].join(" "));
const logs: Record<Parser, number> = { parseFilter: 0, grammar: 0 };
for (const [name, times] of samples) {
  const medians = names.map((parser) => median(times[parser]));
  for (const [index, parser] of names.entries()) logs[parser] += Math.log(medians[index] ?? 1);
  console.log([name.padEnd(30), ...medians.map((value) => value.toFixed(0).padStart(12))].join(" "));
}
const mean = names.map((parser) =>
  Math.exp(logs[parser] / samples.size)
    .toFixed(0)
    .padStart(12),
);
console.log(["geometric mean".padEnd(30), ...mean].join(" "));
