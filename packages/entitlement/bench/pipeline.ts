/*
 * What a request's query costs from text to SQL: bound, restricted to a scope, compiled; and with the shapes of
 * earlier requests remembered. In microseconds a query, the least of interleaved rounds.
 *
 *   node --conditions=@cadastre/source --import tsx packages/entitlement/bench/pipeline.ts
 */
import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import {
  bindFilter,
  bindQuery,
  cachedCompiler,
  compilePage,
  parseFilter,
  sqlite,
  tableMapping,
} from "@cadastre/odata";
import { grant, nevada, oregon, scopeOf, texas } from "../test/support/documents.ts";
import { propertySet } from "../test/support/model.ts";

const zips = Array.from({ length: 20 }, (_, i) => ({ kind: "zip", value: String(78701 + i) }) as const);

const scopes = {
  "one dataset, every field": scopeOf(),
  "three datasets, 20 zips, fields of some": scopeOf({
    regions: zips,
    datasets: [
      grant(texas, { Property: "*" }),
      grant(oregon, { Property: ["City", "PostalCode", "StandardStatus"] }),
      grant(nevada, { Property: ["City", "ListPrice"] }),
    ],
  }),
};

const filters = {
  "one text": (i: number) => `City eq 'Austin${i}'`,
  "two and": (i: number) => `StandardStatus eq 'Active${i}' and ListPrice ge ${i} and ListPrice le 9${i}`,
  "12 cities": (i: number) => Array.from({ length: 12 }, (_, n) => `City eq 'C${n * i}'`).join(" or "),
  "any of texts": (i: number) => `Appliances/any(a:a eq 'Dishwasher${i}')`,
};

const rounds = 25;
const calls = 400;

/** The least time of a call, in microseconds, for each of some ways that take turns. */
function fastest(ways: readonly ((i: number) => unknown)[]): readonly number[] {
  const best = ways.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round += 1) {
    for (const [n, way] of ways.entries()) {
      const start = performance.now();
      for (let i = 0; i < calls; i += 1) way(i % 64);
      best[n] = Math.min(best[n] ?? 0, ((performance.now() - start) * 1000) / calls);
    }
  }
  return best;
}

console.log("| scope | filter | bind | restrict | compile | all | compile, cached |");
console.log("|---|---|--:|--:|--:|--:|--:|");
for (const [name, scope] of Object.entries(scopes)) {
  const entitySet = visibleEntitySet(propertySet, scope);
  const mapping = tableMapping("property");
  const { page } = cachedCompiler(sqlite, mapping);
  const whole = bindQuery({ top: 100 }, entitySet, ["ModificationTimestamp"]);
  for (const [filter, textOf] of Object.entries(filters)) {
    const texts = Array.from({ length: 64 }, (_, i) => textOf(i));
    const bound = texts.map((text) => ({ ...whole, filter: bindFilter(parseFilter(text), entitySet) }));
    const restricted = bound.map((query) => restrict(query, scope));
    const text = (i: number) => texts[i] ?? "";
    const filterOf = (i: number) => bindFilter(parseFilter(text(i)), entitySet);
    const of = <T>(items: readonly T[], i: number) => items[i] as T;
    const times = fastest([
      filterOf,
      (i) => restrict(of(bound, i), scope),
      (i) => compilePage(of(restricted, i), sqlite, mapping),
      (i) => compilePage(restrict({ ...whole, filter: filterOf(i) }, scope), sqlite, mapping),
      (i) => page(of(restricted, i)),
    ]);
    console.log(`| ${[name, filter, ...times.map((time) => time.toFixed(2))].join(" | ")} |`);
  }
}
