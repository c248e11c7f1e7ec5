/*
 * Tests that a walk and the changes by its delta links make what a fresh walk finds, in as many random histories as are asked for, a hundred a
 * seed.
 *
 *   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/service/test/delta-links-soak.ts [histories] [first seed] [SQLite|PostgreSQL]
 *
 * Each seed that is done is printed: to go on after a stop, begin with the next one. Each has a new store. The first history whose copy
 * differs ends the run, shrunk.
 */
import fc from "fast-check";
import { engines } from "./interference/engines.ts";
import { histories } from "./replication/delta-law.ts";
import { openFollowed } from "./replication/followed-store.ts";

const [count = "100000", firstSeed = "1", engine = "SQLite"] = process.argv.slice(2);
const start = engines[engine];
if (start === undefined || engine === "memory") throw new RangeError(`\`${engine}\` keeps no versions`);
const historiesOfASeed = 100;

const began = performance.now();
for (let done = 0, seed = Number(firstSeed); done < Number(count); seed++) {
  const { follow, close } = await openFollowed(await start());
  try {
    await fc.assert(fc.asyncProperty(histories, follow), { seed, numRuns: historiesOfASeed });
  } finally {
    await close();
  }
  done += historiesOfASeed;
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage();
  const cpu = ((user + system) / 1000 / done).toFixed(0);
  console.log(`seed ${seed}: ${done} histories, ${(done / seconds).toFixed(1)} a second, ${cpu} CPU ms each`);
}
