import { setTimeout as wait } from "node:timers/promises";
import {
  hasPostgres,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@cadastre/odata/testing";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Bookmark, StoredRecord, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { type AccessRegistry, openPostgresRegistry } from "../src/registry/index.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";

const resources = [homesResource];
const count = 300;
const homeOf = (key: string, rank: number): StoredRecord => homeRecord({ key, rank, place: null });
const homes = Array.from({ length: count }, (_, i) => homeOf(`h${String(i).padStart(3, "0")}`, i));
const walk = askHomes({ orderBy: "Rank,HomeKey", filter: "Rank lt 10000", top: 50 });
const written = askHomes({ filter: "Rank ge 10000", top: 100_000 });

/** Runs statements, and returns the value that the last one selects. */
const run = async (url: string, ...statements: readonly string[]) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let value: unknown;
    for (const statement of statements) {
      const { rows } = await client.query<Record<string, unknown>>(statement);
      value = Object.values(rows[0] ?? {})[0];
    }
    return value;
  } finally {
    await client.end();
  }
};

describe.skipIf(!hasPostgres)("a failover", () => {
  let primary: PostgresServer;
  let standbys: readonly [PostgresServer, PostgresServer];
  /** The stable address of the primary. */
  let front: TcpProxy;
  let store: WritableStore;

  beforeEach(async () => {
    primary = await startPostgres();
    front = await startTcpProxy(primary.url);
    const created = await openPostgresStore({ connection: primary.url, resources });
    await created.commit(homes);
    await created.close();
    standbys = [await primary.startStandby(), await primary.startStandby()];
    store = await openPostgresStore({
      connection: front.through(primary.url),
      resources,
      replicas: standbys.map(({ url }) => url),
    });
  }, 60_000);
  afterEach(async () => {
    await store.close();
    await Promise.all([front, ...standbys, primary].map((one) => one.stop()));
  });

  const keysIn = ({ records }: { readonly records: Uint8Array }): readonly string[] =>
    Buffer.from(records)
      .toString()
      .match(/(?<="HomeKey":")[^"]+/g) ?? [];
  /** Promotes the first standby, has the second one follow it, and leads the address there. */
  async function promote(): Promise<void> {
    const [first, second] = standbys;
    await run(first.url, "select pg_promote()");
    const { hostname, port } = new URL(first.url);
    await run(
      second.url,
      `alter system set primary_conninfo = 'host=${hostname} port=${port} user=postgres'`,
      "select pg_reload_conf()",
    );
    front.lead(first.url);
  }
  const follows = () =>
    expect
      .poll(() => store.replicas().map(({ state, lag }) => [state, state === "used" && lag]), {
        timeout: 20_000,
      })
      .toEqual([
        ["promoted", false],
        ["used", 0],
      ]);

  test("loses no acknowledged write, repeats none, and no walk, with a synchronous standby", async () => {
    await run(
      primary.url,
      "alter role postgres set synchronous_commit = 'on'",
      "alter system set synchronous_standby_names = 'any 2 (*)'",
      "select pg_reload_conf()",
    );
    await store.close();
    store = await openPostgresStore({
      connection: front.through(primary.url),
      resources,
      replicas: standbys.map(({ url }) => url),
    });
    const registry: AccessRegistry = await openPostgresRegistry({
      connection: front.through(primary.url),
      wait: 1000,
    });
    let isOver = false;
    const acknowledged: string[] = [];
    const codes = new Set<unknown>();
    const installed = { last: 0 };
    const writing = (async () => {
      for (let i = 0; !isOver; i += 1) {
        const key = `w${i}`;
        // As an ingest does: the same batch again until it is taken.
        for (let isTaken = false; !isTaken && !isOver; ) {
          isTaken = await store.commit([homeOf(key, 10_000 + i)]).then(
            () => true,
            (error: { readonly code?: unknown }) => {
              codes.add(error.code);
              return false;
            },
          );
          if (isTaken) acknowledged.push(key);
          await wait(5);
        }
      }
    })();
    const installing = (async () => {
      for (let version = 1; !isOver; version += 1) {
        await registry.entitlements
          .install({ customer: "acme", version, jws: String(version), installed: version })
          .then(
            () => {
              installed.last = version;
            },
            (error: { readonly code?: unknown }) => codes.add(error.code),
          );
        await wait(5);
      }
    })();
    let walks = 0;
    const reads = { failed: 0, whileGone: 0 };
    let isGone = false;
    const walking = (async () => {
      while (!isOver) {
        const keys: string[] = [];
        let from: Bookmark | null | undefined;
        while (from !== null) {
          // As a client does: the same page again after 503.
          const page = await store.page(walk, from === undefined ? {} : { from }).catch((error: unknown) => {
            expect(error).toMatchObject({ code: "database_unavailable" });
            reads.failed += 1;
          });
          await wait(5);
          if (page === undefined) continue;
          if (isGone) reads.whileGone += 1;
          keys.push(...keysIn(page));
          from = page.next;
        }
        expect([keys.length, new Set(keys).size]).toEqual([count, count]);
        walks += 1;
      }
    })();
    try {
      await wait(400);
      await primary.crash();
      front.lead();
      isGone = true;
      await wait(600);
      await expect(store.commit([homeOf("w-gone", 9)])).rejects.toMatchObject({
        code: "database_unavailable",
        kind: "unavailable",
      });
      const walksBefore = walks;
      await run(standbys[0].url, "alter system reset synchronous_standby_names");
      await promote();
      isGone = false;
      await follows();
      await expect.poll(() => walks, { timeout: 20_000 }).toBeGreaterThan(walksBefore + 1);
      await wait(300);
    } finally {
      isOver = true;
      await Promise.all([writing, installing, walking]);
    }
    expect([...codes].filter((code) => code !== "registry_unavailable")).toEqual(["database_unavailable"]);
    expect(reads.whileGone).toBeGreaterThan(0);
    const there: readonly string[] = keysIn(await store.page(written));
    expect(acknowledged.filter((key) => !there.includes(key))).toEqual([]);
    expect(there).toHaveLength(new Set(there).size);
    expect(there.length - acknowledged.length).toBeLessThanOrEqual(1);
    expect((await registry.entitlements.find("acme"))?.version).toBeGreaterThanOrEqual(installed.last);
    await registry.close();
  }, 90_000);

  test("that loses commits ends a walk of theirs with an error, and takes out what still has them", async () => {
    const [first, second] = standbys;
    // The first one does not get the commit that the second one has.
    await run(first.url, "alter system set primary_conninfo = ''", "select pg_reload_conf()");
    await expect
      .poll(() => run(first.url, "select count(*)::int from pg_stat_wal_receiver"), { timeout: 10_000 })
      .toBe(0);
    const { checkpoint } = await store.commit([homeOf("lost", 1)]);
    const { next } = await store.page(walk);
    expect(next?.checkpoint).toBe(checkpoint);
    await expect
      .poll(() => run(second.url, "select max(checkpoint)::int from cadastre.cadastre_commit"))
      .toBe(checkpoint);
    await primary.crash();
    front.lead();
    await run(first.url, "select pg_promote()");
    front.lead(first.url);
    await expect
      .poll(() => store.replicas().map(({ state }) => state), { timeout: 20_000 })
      .toEqual(["promoted", "diverged"]);
    await expect(store.page(walk, { from: next ?? undefined })).rejects.toMatchObject({
      code: "bookmark_expired",
    });
    // The customer has seen more than there is: it reads what there is.
    const page = await store.page(walk);
    expect(page.next?.checkpoint).toBe(checkpoint - 1);
    expect(await store.one(askHomes({ filter: "HomeKey eq 'lost'" }))).toBeUndefined();
    await store.commit([homeOf("other", 2)]);
    await wait(1000);
    expect(store.replicas()[1]?.state).toBe("diverged");
  }, 90_000);

  test("an address that leads to a standby for a while is not written to, and written to again afterwards", async () => {
    front.lead(standbys[0].url);
    await expect(store.commit([homeOf("w", 1)])).rejects.toMatchObject({ code: "database_unavailable" });
    await expect(store.checkpoint()).rejects.toMatchObject({ code: "database_unavailable" });
    expect((await store.page(walk)).length).toBe(50);
    front.lead(primary.url);
    expect((await store.commit([homeOf("w", 1)])).written).toBe(1);
  });
});
