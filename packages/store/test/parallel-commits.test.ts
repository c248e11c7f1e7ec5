import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Change, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { readKeys } from "./conformance/harness.ts";
import { listing, oregon, removal, scopeOf, stored, texas } from "./support/listings.ts";

const nevada = "5d1c9a76-3f0e-4c41-9d0b-7be2a8f41c02";
const all = scopeOf({ [texas]: "*", [oregon]: "*", [nevada]: "*" });

/** A commit or a batch whose changes come when the test lets them. */
type Paced = {
  /** Makes a change, and waits until the database has it. */
  readonly write: (key: string) => Promise<void>;
  readonly end: () => void;
  readonly fail: () => void;
  readonly done: Promise<unknown>;
};

/** Begins a commit of a dataset. It has its turn when it has asked for its first change. */
const begin = (store: WritableStore, datasetId: string): Promise<Paced> =>
  pace(
    (changes) => store.commit(changes, { datasetId }),
    [
      // A batch is written when a change of a key comes that it has already.
      removal("none", datasetId),
      removal("none", datasetId),
    ],
    datasetId,
  );

/** Begins to stage a batch of a source. */
const beginStaging = (store: WritableStore, source: string, datasetId: string): Promise<Paced> =>
  pace(
    (changes) => store.builds.stage("Property", source, changes, { cursor: source }),
    // Changes are written in groups of 500.
    Array.from({ length: 499 }, (_, i) => removal(`none-${i}`, datasetId)),
    datasetId,
  );

/** @param more changes that make the database have those before them */
async function pace(
  start: (changes: AsyncIterable<Change>) => Promise<unknown>,
  more: readonly Change[],
  datasetId: string,
): Promise<Paced> {
  let hand: (changes: readonly Change[] | Error | null) => void = () => {};
  let asked: () => void = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let taken = isAsked;
  async function* changes(): AsyncGenerator<Change> {
    for (;;) {
      const next = new Promise<readonly Change[] | Error | null>((resolve) => {
        hand = resolve;
      });
      asked();
      const given = await next;
      if (given === null) return;
      if (given instanceof Error) throw given;
      yield* given;
    }
  }
  const done = start(changes());
  done.catch(() => {});
  await Promise.race([isAsked, done]);
  return {
    write: async (key) => {
      taken = new Promise<void>((resolve) => {
        asked = resolve;
      });
      hand([listing(key, "Bend", datasetId), ...more]);
      await taken;
    },
    end: () => hand(null),
    fail: () => hand(new Error("the source is gone")),
    done,
  };
}

/** Returns `waits` unless the promise settles soon. */
const stateOf = (promise: Promise<unknown>): Promise<string> =>
  Promise.race([
    promise.then(
      () => "done",
      () => "failed",
    ),
    new Promise<string>((resolve) => void setTimeout(resolve, 300, "waits")),
  ]);

describe.skipIf(!hasPostgres)("commits at the same time", () => {
  let server: PostgresServer;
  let one: WritableStore;
  let other: WritableStore;
  let schemas = 0;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    const schema = `store_${++schemas}`;
    const open = () => openPostgresStore({ connection: server.url, schema, resources: [stored] });
    [one, other] = [await open(), await open()];
    return async () => {
      for (const store of [one, other]) await store.close();
    };
  });

  const places = [
    ["one process", () => [one, one] as const],
    ["two processes", () => [one, other] as const],
  ] as const;

  test.each(places)(
    "of different datasets in %s end in the order in which they first wrote",
    async (_, at) => {
      const [here, there] = at();
      const [first, second] = [await begin(here, texas), await begin(there, oregon)];
      await second.write("o1");
      await first.write("t1");
      await second.write("o2");
      first.end();
      expect(await stateOf(first.done)).toBe("waits");
      expect(await one.checkpoint()).toBe(0);
      second.end();
      expect(await second.done).toMatchObject({ checkpoint: 1, written: 2 });
      expect(await first.done).toMatchObject({ checkpoint: 2, written: 1 });
      expect(await readKeys(other, {}, all, { asOf: 1 })).toEqual(["o1", "o2"]);
      expect(await readKeys(other, {}, all, { asOf: 2 })).toEqual(["o1", "o2", "t1"]);
    },
  );

  test("a process makes two of them at once, and another process goes on beside it", async () => {
    const open = [await begin(one, texas), await begin(one, oregon)];
    const third = one.commit([listing("n", "Bend", nevada)], { datasetId: nevada });
    expect(await stateOf(third)).toBe("waits");
    await other.commit([listing("m", "Bend", nevada)], { datasetId: nevada });
    for (const { end } of open) end();
    expect(await third).toMatchObject({ checkpoint: 2 });
  });

  test("a commit that has not written yet holds nobody up", async () => {
    const idle = await begin(one, texas);
    expect(await other.commit([listing("o", "Bend", oregon)], { datasetId: oregon })).toMatchObject({
      checkpoint: 1,
    });
    await idle.write("t");
    idle.end();
    expect(await idle.done).toMatchObject({ checkpoint: 2 });
  });

  test.each(places)("of one dataset in %s run one after another", async (_, at) => {
    const [here, there] = at();
    const first = await begin(here, texas);
    await first.write("a");
    const second = there.commit([listing("a", "Waco")], { datasetId: texas });
    expect(await stateOf(second)).toBe("waits");
    first.end();
    expect(await first.done).toMatchObject({ checkpoint: 1 });
    expect(await second).toMatchObject({ checkpoint: 2, written: 1 });
  });

  test.each(places)("one without a dataset runs alone in %s", async (_, at) => {
    const [here, there] = at();
    const first = await begin(here, texas);
    await first.write("a");
    const alone = there.commit([listing("b", "Bend", oregon), listing("c", "Bend")]);
    expect(await stateOf(alone)).toBe("waits");
    const after = there.commit([listing("d", "Bend", oregon)], { datasetId: oregon });
    expect(await stateOf(after)).toBe("waits");
    first.end();
    expect(await first.done).toMatchObject({ checkpoint: 1 });
    expect(await alone).toMatchObject({ checkpoint: 2 });
    expect(await after).toMatchObject({ checkpoint: 3 });
  });

  test("the number of a commit that fails is taken by the next one, or left as a checkpoint without changes", async () => {
    const [failing, failed] = [await begin(one, texas), await begin(other, oregon)];
    await failing.write("t");
    await failed.write("o");
    failing.fail();
    await expect(failing.done).rejects.toThrow("the source is gone");
    const next = await begin(one, nevada);
    await next.write("n");
    failed.end();
    expect(await stateOf(failed.done)).toBe("waits");
    next.end();
    expect(await next.done).toMatchObject({ checkpoint: 1 });
    expect(await failed.done).toMatchObject({ checkpoint: 2 });

    const [gone, left] = [await begin(one, texas), await begin(other, oregon)];
    await gone.write("t");
    await left.write("p");
    gone.fail();
    await expect(gone.done).rejects.toThrow("the source is gone");
    left.end();
    expect(await left.done).toMatchObject({ checkpoint: 4 });
    for (const at of [2, 3]) expect(await readKeys(one, {}, all, { asOf: at })).toEqual(["n", "o"]);
    expect(await one.commit([listing("t", "Bend")])).toMatchObject({ checkpoint: 5 });
  });

  test("a commit whose connection breaks holds nobody up", async () => {
    const [broken, waiting] = [await begin(one, texas), await begin(other, oregon)];
    await broken.write("t");
    await waiting.write("o");
    waiting.end();
    expect(await stateOf(waiting.done)).toBe("waits");
    const pool = server.connect(1);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'",
    );
    await pool.end();
    expect(await waiting.done).toMatchObject({ checkpoint: 2 });
    broken.end();
    await expect(broken.done).rejects.toMatchObject({ code: "database_unavailable" });
    expect(await readKeys(one, {}, all)).toEqual(["o"]);
  });

  test("a key that two datasets take at once goes to the first", async () => {
    const [first, second] = [await begin(one, texas), await begin(other, oregon)];
    await first.write("a");
    await second.write("a");
    second.end();
    first.end();
    expect(await first.done).toMatchObject({ checkpoint: 1 });
    await expect(second.done).rejects.toMatchObject({ code: "key_of_another_dataset" });
    expect(await one.checkpoint()).toBe(1);
    expect(await one.commit([listing("b", "Bend", oregon)], { datasetId: oregon })).toMatchObject({
      checkpoint: 2,
    });
  });

  test("a commit that changes nothing waits for none, and leaves no checkpoint", async () => {
    await one.commit([listing("o", "Bend", oregon)]);
    const open = await begin(one, texas);
    await open.write("t");
    expect(await other.commit([listing("o", "Bend", oregon)], { datasetId: oregon })).toMatchObject({
      checkpoint: 1,
      unchanged: 1,
    });
    open.end();
    expect(await open.done).toMatchObject({ checkpoint: 2 });
    expect(await other.commit([listing("o", "Waco", oregon)], { datasetId: oregon })).toMatchObject({
      checkpoint: 3,
    });
  });

  describe("batches of different sources", () => {
    const publish = (store: WritableStore) => store.builds.publish(["Property"]);

    test.each(places)("are staged at the same time in %s", async (_, at) => {
      const [here, there] = at();
      const [first, second] = [await beginStaging(here, "a", texas), await beginStaging(there, "b", oregon)];
      await first.write("t");
      await second.write("o");
      second.end();
      expect(await second.done).toEqual({ changes: 500 });
      first.end();
      expect(await first.done).toEqual({ changes: 500 });
      expect(await publish(one)).toMatchObject({ commit: { written: 2 } });
    });

    test.each(places)("of which one source has both wait for each other in %s", async (_, at) => {
      const [here, there] = at();
      const first = await beginStaging(here, "a", texas);
      await first.write("t");
      const next = there.builds.stage("Property", "a", [listing("t", "Waco")], { cursor: "2", after: "a" });
      expect(await stateOf(next)).toBe("waits");
      first.end();
      expect(await next).toEqual({ changes: 1 });
      await publish(one);
      expect(await readKeys(one, { filter: "City eq 'Waco'" }, all)).toEqual(["t"]);
    });

    test.each(places)("are published when they are whole in %s", async (_, at) => {
      const [here, there] = at();
      const first = await beginStaging(here, "a", texas);
      await first.write("t1");
      const publication = publish(there);
      expect(await stateOf(publication)).toBe("waits");
      await first.write("t2");
      first.end();
      expect(await publication).toMatchObject({ commit: { written: 2 } });
      expect(await readKeys(one, {}, all)).toEqual(["t1", "t2"]);
    });

    test("that give one key to two datasets are not both taken", async () => {
      const [first, second] = [await beginStaging(one, "a", texas), await beginStaging(other, "b", oregon)];
      await first.write("k");
      await second.write("k");
      first.end();
      second.end();
      const ends = await Promise.allSettled([first.done, second.done]);
      expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
        reason: { code: "key_of_another_dataset" },
      });
      expect(await publish(one)).toMatchObject({ commit: { written: 1 } });
      expect(await readKeys(one, {}, all)).toEqual(["k"]);
    });

    test("that change one record are published in one order", async () => {
      const open = [await beginStaging(one, "a", texas), await beginStaging(other, "b", texas)];
      for (const { write, end } of open) {
        await write("k");
        end();
      }
      for (const { done } of open) await done;
      await one.builds.stage("Property", "c", [listing("l", "Waco")], { cursor: "c" });
      expect(await publish(one)).toMatchObject({ commit: { written: 2, unchanged: 0 } });
      expect(await other.builds.verify("Property")).toEqual([]);
      expect(await one.builds.keys("Property", "a")).toEqual([]);
      expect(await one.builds.keys("Property", "b")).toEqual([["k"]]);
    });

    test("are not lost while others publish", async () => {
      const sources = ["a", "b", "c", "d"];
      const last = new Map<string, string>();
      const stage = async (source: string, i: number) => {
        const { builds } = i % 2 === 0 ? one : other;
        const datasetId = i % 2 === 0 ? texas : oregon;
        for (let batch = 0; batch < 12; batch++) {
          const changes = Array.from({ length: 1 + ((batch * 7 + i) % 5) }, (_, n) =>
            listing(`${source}-${(batch + n) % 6}`, `City ${batch}`, datasetId),
          );
          await builds.stage("Property", source, changes, { cursor: String(batch) });
          for (const { record } of changes) last.set(String(record["ListingKey"]), String(record["City"]));
        }
      };
      const publishing = async (store: WritableStore) => {
        for (let i = 0; i < 6; i++) await store.builds.publish(["Property"], undefined, { rehearse: true });
      };
      await Promise.all([...sources.map(stage), publishing(one), publishing(other)]);
      await publish(one);
      for (const [key, city] of last)
        expect(await readKeys(one, { filter: `ListingKey eq '${key}' and City eq '${city}'` }, all)).toEqual([
          key,
        ]);
      expect(await one.builds.verify("Property")).toEqual([]);
    });
  });
});
