/*
 * Copies a service by its next links while what it has is changed, as often as is asked for.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/test/replication-soak.ts [listings] [runs] [first seed]
 *
 * Pages have 1,000 listings, and commits 20 changes. Prints a line for each run; the first that differs ends it.
 */
import { walkUnderChange } from "./replication/walk-under-change.ts";

const [listings = 200_000, runs = 1, firstSeed = 1] = process.argv.slice(2).map(Number);

for (let seed = firstSeed; seed < firstSeed + runs && process.exitCode === undefined; seed++) {
  const { seconds, met, commits, differing, left } = await walkUnderChange({
    listings,
    pageSize: 1000,
    changes: 20,
    seed,
  });
  console.log(
    `seed ${seed}: ${met} keys met in ${seconds.toFixed(1)} s under ${commits} commits, ${left} listings left, ${differing.length} differ`,
  );
  if (differing.length > 0) process.exitCode = 1;
}
