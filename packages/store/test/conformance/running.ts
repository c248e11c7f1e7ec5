import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoredRecord, WritableStore } from "../../src/index.ts";
import { ask, records, texas } from "../support/listings.ts";
import { type Harness, withEmpty } from "./harness.ts";

const size = 4000;
const remarks = "a listing that nobody has looked for, ".repeat(50);
const long: readonly StoredRecord[] = Array.from({ length: size }, (_, i) => ({
  resource: "Property",
  datasetId: texas,
  record: {
    ListingKey: `k${i}`,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    CountyOrParish: remarks,
  },
}));

/** Takes seconds: every record is searched for what is not there. */
const slow = ask({
  filter: Array.from({ length: 80 }, (_, i) => `contains(tolower(CountyOrParish),'nowhere ${i}')`).join(
    " or ",
  ),
});
const quick = ask({ top: 1 });

/** Deadlines, cancellation and queues. */
export function running(harness: Harness): void {
  const name = `running_${harness.isConcurrent}`;
  let store: WritableStore;
  const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };

  beforeAll(async () => {
    const filled = await harness.open(name);
    await filled.commit(long);
    await filled.close();
    store = await harness.open(name, { readers: 1, queue: 1, timeout: 30_000 });
  });
  afterAll(() => store.close());

  test("a query past its deadline is stopped, and the next one is answered", async () => {
    const hurried = await harness.open(name, { timeout: 250, readers: 1 });
    // The first query starts threads and connections.
    await hurried.page(quick).catch(() => {});
    const stopped = expect(hurried.page(slow)).rejects;
    expect(await elapsed(() => stopped.toMatchObject({ code: "query_timeout" }))).toBeLessThan(2000);
    expect((await hurried.page(quick)).length).toBe(1);
    await expect(hurried.count(slow)).rejects.toMatchObject({ code: "query_timeout" });
    await hurried.close();
  });

  describe.runIf(harness.isConcurrent)("beside each other", () => {
    test("an aborted query frees its reader, and what waits behind it is answered", async () => {
      const giveUp = new AbortController();
      const first = store.page(slow, { signal: giveUp.signal });
      const second = store.page(quick);
      setTimeout(() => giveUp.abort(), 200);
      await expect(first).rejects.toMatchObject({ code: "query_canceled" });
      expect((await second).length).toBe(1);
    });

    test("a query that is given up before it starts, or while it waits, never runs", async () => {
      await expect(store.page(slow, { signal: AbortSignal.abort() })).rejects.toMatchObject({
        code: "query_canceled",
      });
      const [held, waiting] = [new AbortController(), new AbortController()];
      let isHeld = true;
      const first = store.page(slow, { signal: held.signal }).finally(() => {
        isHeld = false;
      });
      const second = store.count(slow, { signal: waiting.signal });
      setTimeout(() => waiting.abort(), 100);
      await expect(second).rejects.toMatchObject({ code: "query_canceled" });
      expect(isHeld).toBe(true);
      held.abort();
      await expect(first).rejects.toMatchObject({ code: "query_canceled" });
    });

    test("a full queue is refused at once", async () => {
      const giveUp = new AbortController();
      const first = store.page(slow, { signal: giveUp.signal });
      await new Promise((resolve) => void setTimeout(resolve, 100));
      const second = store.page(quick);
      await expect(store.page(quick)).rejects.toMatchObject({ code: "store_busy" });
      expect(store.waiting()).toBe(1);
      giveUp.abort();
      await expect(first).rejects.toMatchObject({ code: "query_canceled" });
      expect((await second).length).toBe(1);
      expect(store.waiting()).toBe(0);
    });

    test("a commit goes on beside a slow query, which does not see it", async () => {
      const counted = store.count(
        ask({
          filter: `not (${Array.from({ length: 3 }, (_, i) => `contains(tolower(CountyOrParish),'no ${i}')`).join(" or ")})`,
        }),
      );
      await new Promise((resolve) => void setTimeout(resolve, 100));
      expect(await elapsed(() => store.commit(records))).toBeLessThan(1000);
      expect(await counted).toBe(size);
      await store.commit(
        records.map(({ resource, record }) => ({
          resource,
          datasetId: texas,
          removed: [record["ListingKey"]],
        })),
      );
    });
  });

  test("a closed store ends what it runs, and answers nothing", () =>
    withEmpty(harness, async () => {
      const closed = await harness.open(name);
      const running = harness.isConcurrent ? closed.page(slow) : Promise.reject(new Error("closed"));
      const ended = expect(running).rejects.toThrow();
      await new Promise((resolve) => void setTimeout(resolve, 50));
      await closed.close();
      await ended;
      await expect((async () => closed.page(quick))()).rejects.toThrow();
    }));
}
