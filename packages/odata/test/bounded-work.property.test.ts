import fc from "fast-check";
import { expect, test } from "vitest";
import { bindApplied, bindApply, compileAppliedPage } from "../src/apply/index.ts";
import {
  type BoundNode,
  bindExpand,
  bindQuery,
  compileCount,
  compilePage,
  defaultLimits,
  errorObject,
  parseQueryOptions,
  postgres,
  QueryError,
  readAliases,
  readOption,
  sqlite,
  tableMapping,
} from "../src/index.ts";
import { hostileQuery } from "../src/testing/hostile-queries.ts";
import { mapChildren } from "../src/tree/index.ts";
import { houses } from "./support/estate.ts";
import { listing } from "./support/listing.ts";
import { mapping } from "./support/sqlite.ts";

/** `CASES=10000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 125);
const parameters = { numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };

/** Does with a query string all that is done before a database is asked. Returns the trees and the statements. */
function prepare(text: string) {
  const options = parseQueryOptions(text, { extensions: ["$nope"] });
  const aliases = readAliases(options);
  const transformations = readOption(options, "$apply");
  for (const name of ["$count", "$format", "$levels", "$skiptoken"] as const) readOption(options, name);
  const parts = {
    filter: readOption(options, "$filter"),
    search: readOption(options, "$search"),
    orderBy: readOption(options, "$orderby"),
    select: readOption(options, "$select"),
    compute: readOption(options, "$compute"),
    top: readOption(options, "$top") ?? 10,
    skip: readOption(options, "$skip") ?? 0,
  };
  const now = () => ({ picoseconds: 0n, offset: 0 });
  const query = bindQuery(parts, listing, [], { aliases, searchable: ["City"], now });
  const apply =
    transformations && bindApply(transformations, listing, { aliases, searchable: ["City"], now });
  const applied = apply && bindApplied(apply, { top: 10 });
  const expand = readOption(options, "$expand");
  if (expand !== undefined) bindExpand(expand, houses, { aliases, now });
  return {
    trees: [query.filter, ...query.orderBy.map(({ expression }) => expression)],
    statements: [
      compilePage(query, sqlite, mapping),
      compilePage(query, postgres, tableMapping("listing")),
      compileCount(query, sqlite, mapping),
      ...(applied === undefined
        ? []
        : [
            compileAppliedPage(applied, sqlite, mapping),
            compileAppliedPage(applied, postgres, tableMapping("listing")),
          ]),
    ],
  };
}

/** Counts each node as often as it is met: a tree that is shared costs its readers as much as one that is not. */
function sizeOf(tree: BoundNode): number {
  let nodes = 0;
  const visit = (node: BoundNode): BoundNode => {
    nodes += 1;
    expect(nodes).toBeLessThan(mostNodes);
    return mapChildren(node, visit);
  };
  visit(tree);
  return nodes;
}

/** Tuples, `case` and `$ignorecase` have a few nodes of the tree for each of the text. */
const mostNodes = 6 * defaultLimits.nodes;
/** The SQL of one expression is at most some hundred characters. */
const mostSql = 600 * defaultLimits.nodes;
const mostValue = 4 * defaultLimits.textLength;

/** CPU time of `work`, in milliseconds: the least of three where the first is long. */
function cpuOf(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 3 && least > mostCpu / 4; i += 1) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Twenty times what the worst query takes on an idle machine: before there were limits it was seconds. */
const mostCpu = 400;

test("whatever a query string holds, it is refused as a QueryError or costs what its length allows", {
  timeout: 120_000 + numRuns * 100,
}, () => {
  let answered = 0;
  fc.assert(
    fc.property(hostileQuery, (text) => {
      const attempt = () => {
        try {
          return prepare(text);
        } catch (error) {
          if (!(error instanceof QueryError)) throw error;
          expect(JSON.stringify(errorObject(error, text)).length).toBeLessThan(1024);
          return undefined;
        }
      };
      const prepared = attempt();
      if (prepared !== undefined) answered += 1;
      for (const tree of prepared?.trees ?? []) sizeOf(tree);
      for (const { text: statement, values } of prepared?.statements ?? []) {
        expect(statement.length).toBeLessThan(mostSql);
        for (const value of values) expect(String(value).length).toBeLessThan(mostValue);
      }
      expect(cpuOf(attempt)).toBeLessThan(mostCpu);
    }),
    parameters,
  );
  // They are not all refused at the first character.
  expect(answered).toBeGreaterThan(numRuns / 20);
});
