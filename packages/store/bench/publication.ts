// Cost of publishing 2,000 changes and of publishing none, among 10,000 records and among more: CPU time of this process and of the
// server's connections. The ratio shows if it grows with the changes or with the records.
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/store/bench/publication.ts [records]
import type { StoredRecord, StoredResource } from "../src/index.ts";
import { type BenchDatabase, openBenchDatabases } from "../src/testing/bench-databases.ts";
import { recordsOf, resource } from "./listings.ts";

const few = 10_000;
const many = Number(process.argv[2] ?? 100_000);
const changes = 2000;
const rounds = 3;
/** Number of records in memory at once. */
const batchSize = 10_000;

const counted: StoredResource = {
  ...resource,
  counted: { system: "OriginatingSystemName", places: [{ column: "StateOrProvince" }] },
};
const { name } = resource.entitySet;
const passes = () => ({ passed: true, evidence: null });

function* all(count: number): Generator<StoredRecord> {
  for (let start = 0; start < count; start += batchSize)
    yield* recordsOf(Math.min(batchSize, count - start), start);
}

/** Records from all over the table. */
const changed = (count: number, round: number): readonly StoredRecord[] =>
  Array.from({ length: changes }, (_, i) => recordsOf(1, Math.floor((i * count) / changes))).flatMap(
    ([one]) => (one === undefined ? [] : [{ ...one, record: { ...one.record, ListPrice: round } }]),
  );

type Cost = { readonly cpu: number; readonly seconds: number };

async function publishing(database: BenchDatabase, count: number) {
  const store = await database.open(`publication_${count}`, counted);
  await store.commit(all(count));
  await store.builds.publish([name]);
  await database.vacuum();
  const best: Record<"changes" | "none", Cost> = {
    changes: { cpu: Number.POSITIVE_INFINITY, seconds: 0 },
    none: { cpu: Number.POSITIVE_INFINITY, seconds: 0 },
  };
  const measure = async (which: keyof typeof best) => {
    const [before, start] = [await database.cpuTime(), performance.now()];
    await store.builds.publish([name], passes, { rehearse: true });
    const cost = {
      cpu: (await database.cpuTime()) - before,
      seconds: (performance.now() - start) / 1000,
    };
    if (cost.cpu < best[which].cpu) best[which] = cost;
  };
  for (let round = 1; round <= rounds; round++) {
    await store.builds.stage(name, "mls", changed(count, round), { cursor: String(round) });
    await measure("changes");
    // The first one may write back what the changes have left in the log.
    for (let i = 0; i < 2; i++) await measure("none");
  }
  await store.close();
  return best;
}

const text = ({ cpu, seconds }: Cost) => `${cpu.toFixed(0)} ms CPU, ${seconds.toFixed(2)} s`;

for (const database of await openBenchDatabases()) {
  const [small, large] = [await publishing(database, few), await publishing(database, many)];
  for (const [which, what] of [
    ["changes", `${changes} changes`],
    ["none", "no change"],
  ] as const)
    console.log(
      `${database.name}, ${what}: among ${few} ${text(small[which])}; among ${many} ${text(large[which])}; ` +
        `ratio ${(large[which].cpu / small[which].cpu).toFixed(2)}`,
    );
  await database.close();
}
