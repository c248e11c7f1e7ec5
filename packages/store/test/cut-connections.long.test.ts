import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { StoredRecord, WritableStore } from "../src/index.ts";
import { openPostgresStore } from "../src/postgres/index.ts";
import { openPostgresRegistry } from "../src/registry/index.ts";
import { openSqliteStore } from "../src/sqlite/index.ts";
import { ask, stored, texas } from "./support/listings.ts";

const resources = [stored];

/** Records that no writer touches. */
const settled = 2000;
const recordOf = (key: string, city: string): StoredRecord => ({
  resource: "Property",
  datasetId: texas,
  record: {
    ListingKey: key,
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    StateOrProvince: "TX",
    City: city,
  },
});
const before = Array.from({ length: settled }, (_, i) => recordOf(`k${i}`, "Austin"));
const austin = ask({ filter: "City eq 'Austin'", top: 100 });

/** How often something is cut off, and how long it works in between. */
const cuts = 20;
const pause = 50;

type Outcome = {
  readonly answered: number;
  readonly failed: number;
  /** Codes of the errors of reads. */
  readonly codes: ReadonlySet<unknown>;
};

/**
 * Reads and writes while `cut` ends what does both, again and again. Every answer is right and comes, or is an error; a commit that was
 * acknowledged is there; and as soon as nothing is cut any more nothing fails.
 */
async function withstand(store: WritableStore, cut: () => Promise<unknown>): Promise<Outcome> {
  await store.commit(before);
  let isOver = false;
  let [answered, failed] = [0, 0];
  const codes = new Set<unknown>();
  const acknowledged: string[] = [];
  const tried: string[] = [];
  const reading = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const read = await Promise.all([store.count(austin), store.page(austin)]).catch(
        (error: { code?: unknown }) => void codes.add(error.code ?? error),
      );
      if (read === undefined) failed += 1;
      else {
        answered += 1;
        expect([read[0], read[1].length]).toEqual([settled, 100]);
      }
      await wait(1);
    }
  });
  const writing = (async () => {
    for (let i = 0; !isOver; i += 1) {
      const key = `w${i}`;
      tried.push(key);
      await store.commit([recordOf(key, "Waco")]).then(
        () => acknowledged.push(key),
        () => {},
      );
      await wait(1);
    }
  })();
  for (let i = 0; i < cuts; i += 1) {
    // A thread that is new takes longer than the first of these to start.
    await wait(pause * (1 + (i % 5)));
    await cut();
  }
  isOver = true;
  await Promise.all([...reading, writing]);
  // What was cut last is noticed by now.
  await wait(pause);
  for (let i = 0; i < 20; i += 1) expect(await store.count(austin)).toBe(settled);
  await store.commit([recordOf("last", "Waco")]);
  const waco = await store.page(ask({ filter: "City eq 'Waco'", top: 10_000, select: "ListingKey" }));
  const there = new Set(
    Buffer.from(waco.records)
      .toString()
      .match(/(?<="ListingKey":")[^"]+/g),
  );
  expect([...acknowledged, "last"].filter((key) => !there.has(key))).toEqual([]);
  expect([...there].filter((key) => key !== "last" && !tried.includes(key))).toEqual([]);
  return { answered, failed, codes };
}

describe("the reading threads of SQLite", () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-cut-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("end in the middle of queries, and others take their place", async () => {
    const post = vi.spyOn(Worker.prototype, "postMessage");
    const store = await openSqliteStore({ file: join(folder, "cut.sqlite"), resources, threads: 2 });
    try {
      const { answered, failed } = await withstand(store, async () => {
        const threads: ReadonlySet<unknown> = new Set(post.mock.contexts);
        post.mockClear();
        for (const thread of threads) if (thread instanceof Worker) await thread.terminate();
      });
      expect([answered > 0, failed > 0]).toEqual([true, true]);
    } finally {
      post.mockRestore();
      await store.close();
    }
  }, 60_000);
});
describe.skipIf(!hasPostgres)("the connections to PostgreSQL", () => {
  let server: PostgresServer;
  let operator: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    operator = server.connect(1);
  });
  afterAll(async () => {
    await operator.end();
    await server.stop();
  });

  const cutAll = () =>
    operator.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );

  test("of a store are cut in the middle of queries and commits, and new ones take their place", async () => {
    const store = await openPostgresStore({ connection: server.url, schema: "cut", resources });
    try {
      const { answered, failed, codes } = await withstand(store, cutAll);
      expect([answered > 0, failed > 0]).toEqual([true, true]);
      expect([...codes]).toEqual(["database_unavailable"]);
    } finally {
      await store.close();
    }
  }, 60_000);

  test("of a registry are cut: it is unavailable at that moment, and knows what it has said", async () => {
    const registry = await openPostgresRegistry({ connection: server.url, schema: "cut_registry" });
    const { entitlements } = registry;
    let isOver = false;
    let told = 0;
    const codes = new Set<unknown>();
    const installing = (async () => {
      for (let version = 1; !isOver; version += 1)
        await entitlements.install({ customer: "acme", version, jws: `${version}`, installed: version }).then(
          () => {
            told = version;
          },
          (error: { code: unknown }) => codes.add(error.code),
        );
    })();
    const finding = Array.from({ length: 3 }, async () => {
      while (!isOver) {
        const known = told;
        await entitlements.find("acme").then(
          (found) => expect(found?.version ?? 0).toBeGreaterThanOrEqual(known),
          (error: { code: unknown }) => codes.add(error.code),
        );
      }
    });
    for (let i = 0; i < cuts; i += 1) {
      await wait(pause);
      await cutAll();
    }
    isOver = true;
    await Promise.all([installing, ...finding]);
    expect([...codes]).toEqual(["registry_unavailable"]);
    await wait(pause);
    expect((await entitlements.find("acme"))?.version).toBeGreaterThanOrEqual(told);
    await registry.close();
  }, 60_000);
});
