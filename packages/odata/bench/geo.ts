/*
 * What a search by place costs as the table grows while its hits stay the same: 1,000 homes lie within 5 km of a
 * place, and the rest of 100,000 or of 1,000,000 are spread over a country.
 *
 *   node --conditions=@cadastre/source --import tsx packages/odata/bench/geo.ts
 *
 * Every figure is CPU of the database (of this process where that is SQLite), in milliseconds a query: the median
 * of rounds that the two sizes take in turn.
 */

import { nearestPhases } from "../src/compile/index.ts";
import { bindQuery, parseFilter, parseOrderBy } from "../src/index.ts";
import { hasPostgres } from "../src/testing/postgres.ts";
import { homes } from "../test/support/places.ts";
import { centre, type Homes, hits, openPostgresHomes, openSqliteHomes } from "./homes.ts";
import { line, ruler } from "./rounds.ts";
import { median } from "./timing.ts";

const sizes = [100_000, 1_000_000] as const;
const rounds = 5;
/** At least so much CPU for one figure, in milliseconds: the clock of a process ticks every ten. */
const span = 300;

const distance = `geo.distance(Place,geography'Point(${centre.join(" ")})')`;
const half = 0.03;
const square = [
  [-half, -half],
  [half, -half],
  [half, half],
  [-half, half],
  [-half, -half],
]
  .map(([dx = 0, dy = 0]) => `${centre[0] + dx} ${centre[1] + dy}`)
  .join();

const within = bindQuery({ filter: parseFilter(`${distance} le 5000`), top: 10_000 }, homes);
const inside = bindQuery(
  { filter: parseFilter(`geo.intersects(Place,geography'Polygon((${square}))')`), top: 10_000 },
  homes,
);
const nearest = bindQuery({ orderBy: parseOrderBy(distance), top: 20 }, homes);

type Index = Homes["indexes"][string];
type Search = (table: Homes, index: Index) => Promise<number>;

/** Each gives the number of its rows. */
const searches: Readonly<Record<string, Search>> = {
  "within 5 km": (table, index) => table.run(within, index),
  "inside a square of 6 km": (table, index) => table.run(inside, index),
  "nearest 20": async (table, index) => {
    const phases = index === undefined ? [nearest] : (nearestPhases(nearest) ?? []);
    let count = 0;
    for (const phase of phases) {
      if (count >= nearest.top) break;
      count += await table.run({ ...phase, top: nearest.top - count }, index);
    }
    return count;
  },
};

/** CPU of one search, in milliseconds. */
async function cost(search: Search, table: Homes, index: Index): Promise<number> {
  const start = table.cpu();
  let used = 0;
  let count = 0;
  for (; used < span; used = table.cpu() - start) {
    await search(table, index);
    count += 1;
  }
  return used / count;
}

const digits = (milliseconds: number): string =>
  milliseconds.toFixed(milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0);

console.log(line("search", "database", "index", "rows", "100,000", "1,000,000", "ratio"));
console.log(ruler(7));
for (const open of hasPostgres ? [openSqliteHomes, openPostgresHomes] : [openSqliteHomes]) {
  const tables: Homes[] = [];
  for (const size of sizes) tables.push(await open(size));
  const [first] = tables;
  for (const [name, search] of Object.entries(searches)) {
    for (const kind of Object.keys(first?.indexes ?? {})) {
      const times = tables.map((): number[] => []);
      const counts = new Set<number>();
      for (const table of tables) counts.add(await search(table, table.indexes[kind]));
      for (let round = 0; round < (kind === "no index" ? 1 : rounds); round++) {
        for (const [i, table] of tables.entries())
          times[i]?.push(await cost(search, table, table.indexes[kind]));
      }
      const [small = Number.NaN, large = Number.NaN] = times.map(median);
      const ratio = `${(large / small).toFixed(2)}`;
      console.log(
        line(name, first?.name ?? "", kind, [...counts].join(" and "), digits(small), digits(large), ratio),
      );
    }
  }
  for (const table of tables) await table.close();
}
console.log(`\nNode ${process.version}; ${hits} homes within 5 km`);
