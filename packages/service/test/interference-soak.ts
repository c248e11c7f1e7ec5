/*
 * Whether an answer is a function of what is granted alone, in as many random cases as are asked for, a hundred a seed
 * and store.
 *
 *   node --conditions=@cadastre/source --import tsx packages/service/test/interference-soak.ts [cases] [first seed]
 *
 * Each seed that is done is printed: to go on after a stop, begin with the next one. The first leak ends the run,
 * shrunk: what was granted, what the stores hold and what was asked.
 */
import { findLeak, openSides } from "./interference/check.ts";
import { engines } from "./interference/engines.ts";

const [cases = 100_000, firstSeed = 1] = process.argv.slice(2).map(Number);
const casesOfASeed = 100;

const services = await Promise.all(
  Object.entries(engines).map(async ([name, start]) => ({ name, ...(await openSides(await start())) })),
);
const began = performance.now();
let leak: string | undefined;
for (let done = 0, seed = firstSeed; done < cases && leak === undefined; seed++) {
  for (const { name, sides } of services) {
    const found = await findLeak(sides, { seed, numRuns: casesOfASeed });
    if (found === undefined) continue;
    leak = found;
    console.error(`over ${name}: ${found}`);
    break;
  }
  done += casesOfASeed;
  const rate = ((done * 1000) / (performance.now() - began)).toFixed(1);
  console.log(`seed ${seed}: ${done} cases, ${rate} a second`);
}
for (const { close } of services) await close();
process.exitCode = leak === undefined ? 0 : 1;
