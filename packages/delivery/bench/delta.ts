// What a delta costs among few listings and among many, on SQLite:
//   node --conditions=@cadastre/source --import ./scripts/source.mjs packages/delivery/bench/delta.ts [changes] [few] [many] [folder that is kept]
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Change } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { type ExportSource, entitySetReader, storeSource } from "../src/index.ts";
import { datasetId, listings, recordOf, scope, stored } from "./rows.ts";

const [changes = 1000, few = 2000, many = 20_000] = process.argv.slice(2, 5).map(Number);
const kept = process.argv[5];
const folder = kept ?? mkdtempSync(join(tmpdir(), "cadastre-delta-"));
mkdirSync(folder, { recursive: true });

/** Repetitions, of which the median counts. */
const rounds = 9;

const put = (i: number, values = {}): Change => ({
  resource: listings.name,
  datasetId,
  record: { ...recordOf(i), ...values },
});

function* all(rows: number): Generator<Change> {
  for (let i = 0; i < rows; i++) yield put(i);
}

/** Half of them edits all over the listings, a quarter removals, a quarter new ones. */
function* edits(rows: number): Generator<Change> {
  const step = Math.floor(rows / changes);
  for (let nth = 0; nth < changes; nth++) {
    const i = nth * step;
    if (nth % 4 < 2) yield put(i, { Count0: -1 });
    else if (nth % 4 === 2)
      yield { resource: listings.name, datasetId, removed: [recordOf(i)["ListingKey"]] };
    else yield put(rows + nth);
  }
}

/** A store with a state before and one after the changes. */
async function open(rows: number) {
  const file = join(folder, `delta-${rows}-${changes}.sqlite`);
  const isNew = !existsSync(file);
  const store = await openSqliteStore({ file, resources: [stored], threads: 1, timeout: 60_000 });
  if (isNew) {
    await store.commit(all(rows));
    await store.commit(edits(rows));
  }
  const checkpoint = await store.checkpoint();
  const source = storeSource(store, { listing: entitySetReader(store, listings) });
  return { rows, source, checkpoint, times: [] as number[], close: () => store.close() };
}

async function deltaOf(source: ExportSource, checkpoint: number): Promise<readonly [number, number]> {
  const names = source.columns("listing", scope)?.map(({ name }) => name) ?? [];
  const counts: number[] = [];
  for (const [content, columns] of [
    ["rows", names],
    ["removals", ["ListingKey", "removalReason"]],
  ] as const) {
    let count = 0;
    const read = { dataset: "listing", scope, columns, checkpoint, from: null };
    for await (const { length } of source.read({ ...read, changes: { since: checkpoint - 1, content } }))
      count += length;
    counts.push(count);
  }
  return [counts[0] ?? 0, counts[1] ?? 0];
}

const sizes = [await open(few), await open(many)];
for (let round = 0; round <= rounds; round++)
  for (const { source, checkpoint, times } of sizes) {
    const begun = performance.now();
    const [rows, removals] = await deltaOf(source, checkpoint);
    if (rows + removals !== changes) throw new Error(`${rows} rows and ${removals} removals`);
    // The first one warms up.
    if (round > 0) times.push(performance.now() - begun);
  }
const medians = sizes.map(({ times }) => times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0);
for (const [nth, { rows }] of sizes.entries())
  console.log(`${changes} changes among ${rows} listings: ${(medians[nth] ?? 0).toFixed(0)} ms`);
console.log(`ratio ${((medians[1] ?? 0) / (medians[0] ?? 1)).toFixed(2)}`);
for (const { close } of sizes) await close();
if (kept === undefined) rmSync(folder, { recursive: true });
