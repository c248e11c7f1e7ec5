import { setTimeout as wait } from "node:timers/promises";
import {
  hasPostgres,
  type PostgresServer,
  startPostgres,
  startTcpProxy,
  type TcpProxy,
} from "@cadastre/odata/testing";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { contentOf } from "./conformance/harness.ts";
import { askHomes, homeRecord, homeRemoval, homesResource } from "./support/homes.ts";

const resources = [homesResource];
const count = 400;
const homes = (rank: number) =>
  Array.from({ length: count }, (_, i) =>
    homeRecord({ key: `h${String(i).padStart(3, "0")}`, rank: rank + i, place: null }),
  );
const walk = askHomes({ orderBy: "Rank,HomeKey", top: 100 });
const newest = askHomes({ orderBy: "Rank desc,HomeKey", filter: "Rank ge 0", top: 1 });

describe.skipIf(!hasPostgres)("a store with standbys", () => {
  let primary: PostgresServer;
  let standbys: readonly PostgresServer[];
  /** Before the primary, and before each standby. */
  let front: TcpProxy;
  let proxies: readonly TcpProxy[];
  let controls: readonly Pool[];
  let writing: WritableStore;
  let store: WritableStore;

  beforeAll(async () => {
    primary = await startPostgres();
    writing = await openPostgresStore({ connection: primary.url, resources });
    await writing.commit(homes(0));
    standbys = [await primary.startStandby(), await primary.startStandby()];
    front = await startTcpProxy(primary.url);
    proxies = await Promise.all(standbys.map(({ url }) => startTcpProxy(url)));
    controls = standbys.map((standby) => standby.connect(1));
    store = await openPostgresStore({
      connection: front.through(primary.url),
      resources,
      replicas: standbys.map(({ url }, i) => proxies[i]?.through(url) ?? ""),
    });
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await writing.close();
    await Promise.all(controls.map((control) => control.end()));
    await Promise.all([front, ...proxies, ...standbys, primary].map((one) => one.stop()));
  });

  const states = () => store.replicas().map(({ state }) => state);
  const bothUsed = () =>
    expect
      .poll(() => store.replicas().map(({ state, lag }) => [state, lag]), { timeout: 20_000 })
      .toEqual([
        ["used", 0],
        ["used", 0],
      ]);
  const pause = async (control: Pool | undefined) => {
    await control?.query("select pg_wal_replay_pause()");
    const state = async () =>
      (await control?.query<{ state: string }>("select pg_get_wal_replay_pause_state() as state"))?.rows;
    await expect.poll(state).toEqual([{ state: "paused" }]);
  };
  const resume = async (control: Pool | undefined) => control?.query("select pg_wal_replay_resume()");
  let rank = 0;
  const commitNewer = () => {
    rank += 10_000;
    return writing.commit(homes(rank));
  };
  const keysOf = async (from?: Bookmark): Promise<{ keys: readonly string[]; next: Bookmark | null }> => {
    const page = await store.page(walk, { from });
    return {
      keys:
        Buffer.from(page.records)
          .toString()
          .match(/h\d{3}/g) ?? [],
      next: page.next,
    };
  };
  /** Number of connections to a standby, apart from those of this test and the one that checks it. */
  const readersOf = async (control: Pool | undefined) => {
    const sessions = await control?.query<{ n: number }>(
      "select count(*)::int - 2 as n from pg_stat_activity where backend_type = 'client backend'",
    );
    return sessions?.rows[0]?.n;
  };

  test("reads from both, also while the primary does not answer", async () => {
    await bothUsed();
    front.hold();
    try {
      const pages = await Promise.all(Array.from({ length: 8 }, () => keysOf()));
      for (const { keys } of pages) expect(keys).toHaveLength(100);
      for (const control of controls) expect(await readersOf(control)).toBeGreaterThan(0);
    } finally {
      front.lead(primary.url);
    }
  });

  test("answers from the primary what the standbys do not have yet", async () => {
    await bothUsed();
    await Promise.all(controls.map(pause));
    try {
      await commitNewer();
      // Nobody has seen the commit here: the standbys answer as of before.
      const before = await store.page(walk);
      const { next: from } = await writing.page(walk);
      expect(before.next?.checkpoint).toBeLessThan(from?.checkpoint ?? 0);
      expect(contentOf(await store.page(walk, { from: from ?? undefined }))).toEqual(
        contentOf(await writing.page(walk, { from: from ?? undefined })),
      );
      const asOf = from?.checkpoint ?? 0;
      expect(contentOf(await store.page(walk, { asOf, lines: true }))).toEqual(
        contentOf(await writing.page(walk, { asOf, lines: true })),
      );
      // Now it was seen: the customer reads nothing older any more.
      expect((await store.page(walk)).next?.checkpoint).toBe(asOf);
      await expect.poll(() => store.replicas().map(({ lag }) => lag)).not.toEqual([0, 0]);
    } finally {
      await Promise.all(controls.map(resume));
    }
    await bothUsed();
  });

  test("never shows a customer an older state after a newer one", async () => {
    await bothUsed();
    await pause(controls[1]);
    try {
      await commitNewer();
      let last = 0;
      for (let i = 0; i < 60; i += 1) {
        const { checkpoint = 0 } = (await store.page(walk)).next ?? {};
        expect(checkpoint).toBeGreaterThanOrEqual(last);
        last = checkpoint;
        await wait(5);
      }
      expect(last).toBe(await writing.checkpoint());
    } finally {
      await resume(controls[1]);
    }
  });

  test("reads nothing older than a build that it has seen, or a commit of its own", async () => {
    await bothUsed();
    await Promise.all(controls.map(pause));
    try {
      await writing.builds.publish(["Home"]);
      await commitNewer();
      const published = await writing.builds.publish(["Home"]);
      await expect(store.builds.current("Home")).resolves.toMatchObject(
        published.published ? { id: published.builds[0]?.id } : {},
      );
      expect((await store.page(walk)).next?.checkpoint).toBe(await writing.checkpoint());
      const { checkpoint } = await store.commit([homeRecord({ key: "own", rank: -1, place: null })]);
      const own = await store.one(askHomes({ filter: "HomeKey eq 'own'" }));
      expect([Buffer.from(own ?? []).toString(), checkpoint]).toEqual([
        expect.stringContaining("own"),
        await writing.checkpoint(),
      ]);
      await writing.commit([homeRemoval("own")]);
    } finally {
      await Promise.all(controls.map(resume));
    }
  });

  test.each<[string, (proxy: TcpProxy) => void]>([
    ["is gone", (proxy) => proxy.lead()],
    ["does not answer", (proxy) => proxy.hold()],
  ])(
    "goes on without a standby that %s, and with it when it is back",
    async (_, cut) => {
      await bothUsed();
      const [proxy] = proxies;
      let isOver = false;
      const failures: unknown[] = [];
      const reading = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          await store.page(newest).catch((error: unknown) => failures.push(error));
          await store
            .one(askHomes({ filter: "HomeKey eq 'h007'" }))
            .catch((error: unknown) => failures.push(error));
        }
      });
      await wait(100);
      if (proxy !== undefined) cut(proxy);
      await expect.poll(states, { timeout: 10_000 }).toEqual(["unreachable", "used"]);
      await wait(100);
      proxy?.lead(standbys[0]?.url);
      await bothUsed();
      isOver = true;
      await Promise.all(reading);
      expect(failures).toEqual([]);
    },
    40_000,
  );

  test("is opened while a standby cannot be reached, and refuses one of another cluster or as its primary", async () => {
    const other = await startPostgres();
    const foreign = await other.startStandby();
    const open = (connection: string, replicas: readonly string[]) =>
      openPostgresStore({ connection, resources, replicas });
    try {
      await (await openPostgresStore({ connection: other.url, resources })).close();
      const opened = await open(primary.url, [
        "postgres://postgres:dont-tell@127.0.0.1:1/postgres",
        foreign.url,
      ]);
      const found = () => opened.replicas().map(({ name, state }) => [name, state]);
      await expect.poll(found, { timeout: 10_000 }).toEqual([
        ["127.0.0.1:1/postgres", "unreachable"],
        [new URL(foreign.url).host + new URL(foreign.url).pathname, "schema"],
      ]);
      expect((await opened.page(walk)).length).toBe(100);
      await opened.close();
      await expect(open(standbys[0]?.url ?? "", [])).rejects.toMatchObject({ code: "25006" });
    } finally {
      await foreign.stop();
      await other.stop();
    }
  });

  test("writes nothing to a standby, and does not use one that was promoted", async () => {
    const promoted = await primary.startStandby();
    const opened = await openPostgresStore({ connection: primary.url, resources, replicas: [promoted.url] });
    const control = promoted.connect(1);
    try {
      const state = () => opened.replicas()[0]?.state;
      expect(state()).toBe("used");
      await control.query("select pg_promote()");
      await control.query(`delete from cadastre."Home"`);
      for (let i = 0; i < 10; i += 1) expect((await opened.page(walk)).length).toBe(100);
      await expect.poll(state).toBe("promoted");
    } finally {
      await opened.close();
      await control.end();
      await promoted.stop();
    }
  });
});
