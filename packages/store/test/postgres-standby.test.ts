import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";

const resources = [homesResource];
const count = 2000;
const homes = (rank: number) =>
  Array.from({ length: count }, (_, i) =>
    homeRecord({ key: `h${String(i).padStart(4, "0")}`, rank: rank + i, place: null }),
  );
const walk = askHomes({ orderBy: "Rank,HomeKey", top: 500 });

describe.skipIf(!hasPostgres)("a standby", () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  let writing: WritableStore;
  let reading: WritableStore;
  let control: pg.Client;

  beforeAll(async () => {
    primary = await startPostgres();
    writing = await openPostgresStore({ connection: primary.url, resources });
    await writing.commit(homes(0));
    standby = await primary.startStandby();
    control = new pg.Client({ connectionString: standby.url });
    await control.connect();
    reading = await openPostgresStore({ connection: standby.url, resources });
  }, 60_000);
  afterAll(async () => {
    await control.end();
    await reading.close();
    await writing.close();
    await standby.stop();
    await primary.stop();
  });

  let rank = 0;
  const caughtUp = async () => expect.poll(() => reading.checkpoint()).toBe(await writing.checkpoint());
  /** Commits on the primary what the standby has received and does not replay. */
  async function ahead<T>(work: () => Promise<T>): Promise<T> {
    await caughtUp();
    await control.query("select pg_wal_replay_pause()");
    const state = () => control.query<{ state: string }>("select pg_get_wal_replay_pause_state() as state");
    await expect.poll(async () => (await state()).rows).toEqual([{ state: "paused" }]);
    try {
      rank += 10_000;
      await writing.commit(homes(rank));
      return await work();
    } finally {
      await control.query("select pg_wal_replay_resume()");
    }
  }

  test("is opened without a write, and answers as the primary", async () => {
    await caughtUp();
    const [here, there] = await Promise.all([reading.page(walk), writing.page(walk)]);
    expect(Buffer.from(here.records)).toEqual(Buffer.from(there.records));
  });

  test("refuses to go on with a walk that began at a later commit", async () => {
    const next = await ahead(async () => {
      const { next: from } = await writing.page(walk);
      if (from === null) throw new RangeError("the walk has one page");
      await expect(reading.page(walk, { from })).rejects.toMatchObject({ code: "replica_behind" });
      return from;
    });
    await caughtUp();
    expect((await reading.page(walk, { from: next })).length).toBe(500);
  });

  test("gives no page of a walk that is ahead of it: the primary gives each record once", async () => {
    const keys: string[] = [];
    let refused = 0;
    await ahead(async () => {
      let from: Bookmark | null | undefined;
      for (let pages = 0; from !== null; pages += 1) {
        const options = from === undefined ? {} : { from };
        const asked = pages % 2 === 0 ? writing : reading;
        const page = await asked.page(walk, options).catch((error: unknown) => {
          expect(error).toMatchObject({ code: "replica_behind" });
          refused += 1;
          return writing.page(walk, options);
        });
        for (const [key] of Buffer.from(page.records)
          .toString()
          .matchAll(/h\d{4}/g))
          keys.push(key);
        from = page.next;
      }
    });
    expect(refused).toBe(2);
    expect(new Set(keys).size).toBe(count);
    expect(keys).toHaveLength(count);
  });

  test("refuses a state and changes that it does not have yet", async () => {
    await ahead(async () => {
      const asOf = await writing.checkpoint();
      const before = await reading.checkpoint();
      expect(before).toBeLessThan(asOf);
      for (const options of [{ asOf }, { asOf, since: before }, { asOf: before, until: asOf }])
        await expect(reading.page(walk, options)).rejects.toMatchObject({ code: "replica_behind" });
    });
  });
});
