// Rate of staging and publishing records compared with committing the same records: first all of them, then a tenth.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/publish.ts [rows]
import type { StoredRecord } from "../src/index.ts";
import { openBenchDatabases } from "../src/testing/bench-databases.ts";
import { recordsOf, resource } from "./listings.ts";

const count = Number(process.argv[2] ?? 20_000);
const batchSize = 1000;
const rounds = 3;
const records = recordsOf(count);
const tenth = records
  .filter((_, i) => i % 10 === 0)
  .map((one) => ({ ...one, record: { ...one.record, StandardStatus: "Changed" } }));
const { name } = resource.entitySet;

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

for (const database of await openBenchDatabases()) {
  const best = new Map<string, number>();
  const measure = async (name: string, work: () => Promise<unknown>) => {
    best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, await seconds(work)));
  };
  for (let round = 0; round < rounds; round++) {
    const plain = await database.open(`plain_${round}`, resource);
    await measure("commit", () => plain.commit(records));
    await measure("commit a tenth", () => plain.commit(tenth));
    await plain.close();
    const built = await database.open(`built_${round}`, resource);
    let cursor = 0;
    const stage = async (all: readonly StoredRecord[]) => {
      for (let i = 0; i < all.length; i += batchSize)
        await built.builds.stage(name, "mls", all.slice(i, i + batchSize), { cursor: String(++cursor) });
    };
    await measure("stage", () => stage(records));
    await measure("publish", () => built.builds.publish([name]));
    await measure("stage a tenth", () => stage(tenth));
    await measure("publish a tenth", () => built.builds.publish([name]));
    await built.close();
  }
  const of = (name: string) => best.get(name) ?? 0;
  for (const part of ["", " a tenth"])
    console.log(
      `${database.name}${part}: commit ${of(`commit${part}`).toFixed(2)} s, stage ${of(`stage${part}`).toFixed(2)} s, ` +
        `publish ${of(`publish${part}`).toFixed(2)} s; rate of both / commit = ` +
        (of(`commit${part}`) / (of(`stage${part}`) + of(`publish${part}`))).toFixed(2),
    );
  await database.close();
}
