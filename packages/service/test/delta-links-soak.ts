/*
 * Tests that copies that two customers keep by delta links and by events are what a fresh walk and a fresh seed give, in as many random
 * histories as are asked for, two hundred a seed.
 *
 *   FIELDS=few node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/test/delta-links-soak.ts [histories] [first seed] [SQLite|PostgreSQL]
 *
 * Each seed that is done is printed: to go on after a stop, begin with the next one. Each has a new store, and a few grants that its
 * histories draw from. The first history with a copy that differs ends the run, shrunk. Without `FIELDS=few` a history costs more.
 */
import fc from "fast-check";
import { engines } from "./interference/engines.ts";
import { anyGrants, grants, masking } from "./interference/grants.ts";
import { openFollowed } from "./replication/followed-store.ts";
import { historiesUnder } from "./replication/histories.ts";

const [count = "100000", firstSeed = "1", engine = "SQLite"] = process.argv.slice(2);
const start = engines[engine];
if (start === undefined || engine === "memory") throw new RangeError(`\`${engine}\` keeps no versions`);
const historiesOfASeed = 200;
/** So few that the statements of one history serve the next ones. */
const grantsOfASeed = 8;

const began = performance.now();
for (let done = 0, seed = Number(firstSeed); done < Number(count); seed++) {
  const { follow, close } = await openFollowed(await start(), true);
  const drawn = fc.sample(fc.oneof(anyGrants, { weight: 3, arbitrary: grants }), {
    seed,
    numRuns: grantsOfASeed,
  });
  try {
    await fc.assert(fc.asyncProperty(historiesUnder(fc.constantFrom(...drawn, masking, masking)), follow), {
      seed,
      numRuns: historiesOfASeed,
    });
  } finally {
    await close();
  }
  done += historiesOfASeed;
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage();
  const cpu = ((user + system) / 1000 / done).toFixed(0);
  console.log(`seed ${seed}: ${done} histories, ${(done / seconds).toFixed(1)} a second, ${cpu} CPU ms each`);
}
