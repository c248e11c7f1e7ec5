/*
 * Soak test: compares SQLite and PostgreSQL with in-memory evaluation on a given number of random queries: filters,
 * filters with aliases and casts, orders and generated schemas in turn, a thousand queries per seed.
 *
 *   node --conditions=@cadastre/source --import tsx packages/odata/test/agreement-soak.ts [queries] [first seed]
 *
 * Completed seeds are printed: to resume after an interruption, start with the next one. The run ends at the first
 * disagreement, which is printed shrunk, as OData text, with its seed.
 */
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import {
  type BoundQuery,
  bindFilter,
  bindQuery,
  compareRows,
  matches,
  parseFilter,
  parseOrderBy,
} from "../src/index.ts";
import { hasPostgres } from "../src/testing/postgres.ts";
import { filterTexts, orderByTexts } from "./support/arbitraries.ts";
import { openDatabases } from "./support/databases.ts";
import { listing, rows } from "./support/listing.ts";
import { openPostgresListings } from "./support/postgres-listings.ts";
import { rewrittenFilters } from "./support/rewritten-filters.ts";
import { cases, disagreementOf } from "./support/schemas.ts";
import { openListings } from "./support/sqlite.ts";

const [queries = 1_000_000, firstSeed = 1] = process.argv.slice(2).map(Number);
const queriesOfASeed = 1000;

type Engine = {
  readonly name: string;
  readonly keys: (query: BoundQuery) => Promise<readonly unknown[]>;
};

const sqlite = openListings();
const postgres = hasPostgres ? await openPostgresListings() : undefined;
const engines: readonly Engine[] = [
  { name: "SQLite", keys: async (query) => sqlite.keys(query) },
  ...(postgres === undefined
    ? []
    : [{ name: "PostgreSQL", keys: (query: BoundQuery) => postgres.keys(query) }]),
];
const databases = await openDatabases();

/** Describes the first database whose keys differ from `expected`; undefined if there is none. */
async function disagreement(
  text: string,
  query: BoundQuery,
  expected: readonly unknown[],
): Promise<string | undefined> {
  for (const engine of engines) {
    const found = await engine.keys(query);
    if (!isDeepStrictEqual(found, expected))
      return `${engine.name}: ${text}\nmemory ${JSON.stringify(expected)}, found ${JSON.stringify(found)}`;
  }
  return undefined;
}

const keysOf = (some: typeof rows): readonly unknown[] => some.map((row) => row["ListingKey"]);

type Property = { readonly check: (seed: number) => Promise<Failure> };
type Failure = { readonly failed: boolean; readonly errorInstance: unknown };

const property = <T>(
  numRuns: number,
  inputs: fc.Arbitrary<T>,
  find: (input: T) => Promise<string | undefined>,
): Property => ({
  check: async (seed) => {
    const holds = fc.asyncProperty(inputs, async (input) => {
      const found = await find(input);
      if (found !== undefined) throw new Error(found);
    });
    return fc.check(holds, { seed, numRuns });
  },
});

/**
 * The tested properties, with their share of a thousand queries. A schema is tested with about four filters and an
 * order.
 */
const properties: Readonly<Record<string, Property>> = {
  filters: property(300, filterTexts, async (text) => {
    const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing);
    return disagreement(`$filter=${text}`, query, keysOf(rows.filter((row) => matches(query.filter, row))));
  }),
  rewritten: property(200, rewrittenFilters, async ({ plain, text, aliases }) => {
    const values = Object.entries(aliases).map(([name, value]) => [name, parseFilter(value)] as const);
    const options = { aliases: Object.fromEntries(values) };
    const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing, [], options);
    const bound = bindFilter(parseFilter(plain), listing);
    const shown = `$filter=${text}&${JSON.stringify(aliases)}`;
    return disagreement(shown, query, keysOf(rows.filter((row) => matches(bound, row))));
  }),
  orders: property(200, orderByTexts, async (text) => {
    const query = bindQuery({ orderBy: parseOrderBy(text), top: 100 }, listing);
    const expected = rows.toSorted((a, b) => compareRows(query.orderBy, a, b));
    return disagreement(`$orderby=${text}`, query, keysOf(expected));
  }),
  schemas: property(60, cases, async (one) => {
    for (const database of databases) {
      const found = await disagreementOf(one, database);
      if (found !== undefined) return found;
    }
    return undefined;
  }),
};

let failed = false;
const start = performance.now();
for (let done = 0, seed = firstSeed; done < queries && !failed; done += queriesOfASeed, seed += 1) {
  for (const [name, { check }] of Object.entries(properties)) {
    const { failed: isFailed, errorInstance } = await check(seed);
    if (!isFailed) continue;
    failed = true;
    console.error(`seed ${seed}, ${name}: ${errorInstance instanceof Error ? errorInstance.message : ""}`);
  }
  const rate = Math.round(((done + queriesOfASeed) * 1000) / (performance.now() - start));
  console.log(`seed ${seed}: ${done + queriesOfASeed} queries, ${rate} a second`);
}
sqlite.close();
await postgres?.close();
for (const database of databases) await database.close();
process.exitCode = failed ? 1 : 0;
