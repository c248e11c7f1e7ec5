import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Change, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { readKeys } from "./conformance/harness.ts";
import { listing, oregon, removal, scopeOf, stored, texas } from "./support/listings.ts";

const nevada = "5d1c9a76-3f0e-4c41-9d0b-7be2a8f41c02";
const all = scopeOf({ [texas]: "*", [oregon]: "*", [nevada]: "*" });

/** A commit whose changes come when the test lets them. */
type Paced = {
  /** Makes a change, and waits until the database has it. */
  readonly write: (key: string) => Promise<void>;
  readonly end: () => void;
  readonly fail: () => void;
  readonly done: Promise<unknown>;
};

/** Begins a commit of a dataset. It has its turn when it has asked for its first change. */
async function begin(store: WritableStore, datasetId: string): Promise<Paced> {
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
  const done = store.commit(changes(), { datasetId });
  done.catch(() => {});
  await Promise.race([isAsked, done]);
  return {
    write: async (key) => {
      taken = new Promise<void>((resolve) => {
        asked = resolve;
      });
      // A batch is written when a change of a key comes that it has already.
      hand([listing(key, "Bend", datasetId), removal("none", datasetId), removal("none", datasetId)]);
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
});
