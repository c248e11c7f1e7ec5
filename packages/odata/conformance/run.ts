/*
 * Runs the OASIS test suites of the OData grammar against this package's parsers.
 *
 *   node --conditions=@cadastre/source --import tsx packages/odata/conformance/run.ts <folder or files>
 *
 * Prints a line for each rule and every case that came out otherwise than its suite says; the exit code is 1
 * where such a case is not listed in `disputed.ts`.
 */
import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { type Case, readCases, readNames } from "./cases.ts";
import { disputed } from "./disputed.ts";
import type { Names } from "./names.ts";
import { rules } from "./rules.ts";

type Tally = { accepted: number; acceptable: number; refused: number; refusable: number };

const paths = process.argv.slice(2).flatMap((path) =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .filter((name) => name.endsWith("testcases.yaml"))
        .map((name) => join(path, name))
    : [path],
);
if (paths.length === 0) throw new Error("expected the folder or the files of the test suites");

/** What is wrong with the outcome of `one`, or null. */
function mismatch(one: Case, names: Names): string | null {
  const rule = rules[one.rule];
  if (rule === undefined) return null;
  const verdict = rule(one.input, names);
  if (one.failAt === null) return verdict.accepted ? null : `refused at ${verdict.at}: ${verdict.message}`;
  if (verdict.accepted) return "accepted";
  return verdict.at === one.failAt ? null : `refused at ${verdict.at}, not ${one.failAt}: ${verdict.message}`;
}

const percent = (part: number, whole: number): string => (whole === 0 ? "-" : `${part}/${whole}`);

let unexplained = 0;
for (const path of paths) {
  const tallies = new Map<string, Tally>();
  let passed = 0;
  let explained = 0;
  let elsewhere = 0;
  const cases = readCases(path);
  const names = readNames(path);
  for (const one of cases) {
    if (rules[one.rule] === undefined) {
      elsewhere += 1;
      continue;
    }
    const tally = tallies.get(one.rule) ?? { accepted: 0, acceptable: 0, refused: 0, refusable: 0 };
    tallies.set(one.rule, tally);
    const problem = mismatch(one, names);
    if (one.failAt === null) tally.acceptable += 1;
    else tally.refusable += 1;
    if (problem === null) {
      passed += 1;
      if (one.failAt === null) tally.accepted += 1;
      else tally.refused += 1;
      continue;
    }
    const reason = disputed[`${one.rule}: ${one.input}`];
    if (reason === undefined) unexplained += 1;
    else explained += 1;
    console.log(`${reason === undefined ? "MISMATCH" : "disputed"} ${one.rule}: ${one.input}`);
    console.log(`  ${problem}${reason === undefined ? "" : ` (${reason})`}`);
  }
  for (const [rule, tally] of tallies) {
    console.log(
      `${rule}: accepted ${percent(tally.accepted, tally.acceptable)}, refused ${percent(tally.refused, tally.refusable)}`,
    );
  }
  const total = cases.length - elsewhere;
  console.log(
    `${basename(path)}: ${passed}/${total} as stated, ${explained} disputed, ${total - passed - explained} mismatched, ` +
      `${elsewhere} of rules that concern no path and no query\n`,
  );
}
process.exitCode = unexplained === 0 ? 0 : 1;
