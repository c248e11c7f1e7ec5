/*
 * Random records through ingest into SQLite and PostgreSQL: what is stored is found by `eq`, in its order, as memory
 * finds it, and is what `$metadata` says. Prints the number of contradictions.
 *
 *   CASES=100000 SEED=1 node --conditions=@cadastre/source --import tsx packages/service/test/ingest-soak.ts
 *
 * Without SEED it looks for new cases. To go on after a stop, begin with the seed that was printed last.
 */
import { openEngines } from "./ingest/law/engines.ts";
import { batchSize, checkLaw } from "./ingest/law/law.ts";

const { CASES = "100000", SEED = String(Math.floor(Math.random() * 2 ** 31)) } = process.env;
const [cases, firstSeed] = [Number(CASES), Number(SEED)];

const engines = await openEngines();
const began = performance.now();
const totals = { records: 0, stored: 0, checks: 0, contradictions: 0 };
for (let seed = firstSeed; totals.records < cases; seed++) {
  const { staged, checks, contradictions } = await checkLaw(engines, seed);
  totals.records += batchSize;
  totals.stored += staged;
  totals.checks += checks;
  totals.contradictions += contradictions.length;
  for (const contradiction of contradictions.slice(0, 3)) console.error(contradiction);
  if (totals.records % (10 * batchSize) === 0)
    console.log(
      `seed ${seed}: ${totals.records} records, ${((performance.now() - began) / 1000).toFixed(0)} s`,
    );
}
for (const { close } of engines) await close();
console.log(
  `${totals.records} records, ${totals.stored} stored, on ${engines.map(({ name }) => name).join(", ")} and memory: ` +
    `${totals.checks} comparisons, ${totals.contradictions} contradictions`,
);
process.exitCode = totals.contradictions === 0 ? 0 : 1;
