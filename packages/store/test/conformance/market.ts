import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Change, StoredRecord } from "../../src/index.ts";
import { marketColumns, readMarketReport } from "../../src/market/index.ts";
import { modelReport } from "../support/report-model.ts";
import { askers, datasets, listings, reportedResource, reportedSet, scopeOf } from "../support/reported.ts";
import { type Harness, openEmpty } from "./harness.ts";

const least = 3;

async function listOf<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const removalsOf = (keys: readonly unknown[]): readonly Change[] =>
  keys.flatMap((key) => datasets.map((datasetId) => ({ resource: "Property", datasetId, removed: [key] })));

/** Keys of records that are in another dataset afterwards. */
function movedKeys(before: readonly StoredRecord[], after: readonly StoredRecord[]): readonly unknown[] {
  const held = new Map(before.map(({ record, datasetId }) => [record["ListingKey"], datasetId]));
  return after.flatMap(({ record: { ListingKey }, datasetId }) =>
    held.has(ListingKey) && held.get(ListingKey) !== datasetId ? [ListingKey] : [],
  );
}

/** Reports of the market. */
export function market(harness: Harness): void {
  describe("a market report", () => {
    test("has the figures of the listings that are shown, as of its checkpoint, from any row on", async () => {
      const store = await openEmpty(harness, { resources: [reportedResource] });
      const columns = marketColumns.map(({ name }) => name);
      await fc.assert(
        fc.asyncProperty(listings, listings, askers, fc.nat(), async (first, later, asker, at) => {
          const keys = Array.from({ length: 120 }, (_, i) => `k${i}`);
          await store.commit(removalsOf(keys));
          await store.commit(first);
          const asOf = await store.checkpoint();
          await store.commit(removalsOf(movedKeys(first, later)));
          await store.commit([...later, ...removalsOf(["k1"])]);
          const reads = { store, entitySet: reportedSet, scope: scopeOf(asker) };
          const expected = modelReport(asker, first, least);
          const rows = await listOf(readMarketReport(reads, { asOf, least }));
          expect(rows).toEqual(expected);
          for (const row of rows)
            expect(Object.keys(row)).toEqual(columns.filter((name) => row[name] !== undefined));
          const after = rows[at % Math.max(1, rows.length)]?.id ?? "";
          expect(await listOf(readMarketReport(reads, { asOf, least, after }))).toEqual(
            rows.filter(({ id }) => id > after),
          );
        }),
        { numRuns: Number(process.env["CASES"] ?? 2) },
      );
      await store.close();
    }, 120_000);
  });
}
