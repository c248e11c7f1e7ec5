import {
  hasPgbouncer,
  hasPostgres,
  type Pgbouncer,
  type PostgresServer,
  startPgbouncer,
  startPostgres,
} from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Bookmark, Page, WritableStore } from "../src/index.ts";
import { openPostgresStore, type PostgresStoreOptions } from "../src/postgres/index.ts";
import { openPostgresRegistry, openPostgresRegistryAudit } from "../src/registry/index.ts";
import { builds } from "./conformance/builds.ts";
import { commits } from "./conformance/commits.ts";
import { coverage } from "./conformance/coverage.ts";
import { type Harness, onEveryLayout } from "./conformance/harness.ts";
import { past } from "./conformance/past.ts";
import { running } from "./conformance/running.ts";
import { walks } from "./conformance/walks.ts";
import { conformance as registry } from "./registry/conformance.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";
import { stored } from "./support/listings.ts";
import { allOf, datasets, grantedKeys, walledResources, walledRows, walledScope } from "./support/walled.ts";

const isMissing = !hasPostgres || !hasPgbouncer;
if (isMissing)
  console.warn("PostgreSQL or PgBouncer is not installed: stores behind a pooler are not tested");

/** Connections of the pooler to the server. */
const serverConnections = 8;
/** Homes that no writer touches, in towns of 40. */
const [count, ofTown] = [1000, 40];
const homes = Array.from({ length: count }, (_, i) =>
  homeRecord({
    key: `h${String(i).padStart(4, "0")}`,
    rank: i,
    town: `town ${i % (count / ofTown)}`,
    place: null,
  }),
);
const keysOf = ({ records }: Pick<Page, "records">): readonly string[] =>
  (JSON.parse(`[${Buffer.from(records).toString()}]`) as readonly { HomeKey: string }[]).map(
    ({ HomeKey }) => HomeKey,
  );

describe.skipIf(isMissing)("behind a pooler in transaction mode,", () => {
  let server: PostgresServer;
  let pooler: Pgbouncer;
  let direct: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    direct = server.connect(1);
    await direct.query("create role reader");
    pooler = await startPgbouncer(server.url, serverConnections);
  });
  afterAll(async () => {
    await pooler.stop();
    await direct.end();
    await server.stop();
  });

  const open = (schema: string, options: Partial<PostgresStoreOptions> = {}) =>
    openPostgresStore({
      connection: pooler.url,
      statements: "unnamed",
      schema,
      resources: [homesResource],
      ...options,
    });

  const harness: Harness = {
    isConcurrent: true,
    open: (schema, { resources = [stored], readers = 3, ...options } = {}) =>
      open(schema, { resources, connections: readers, ...options }),
  };
  for (const cases of onEveryLayout ? [commits, builds, coverage, walks, past, running] : [commits])
    cases(harness);

  if (onEveryLayout)
    registry(
      "PostgreSQL",
      (schema) => openPostgresRegistry({ connection: pooler.url, schema }),
      (schema) => openPostgresRegistryAudit({ connection: pooler.url, schema }),
    );

  test("40 clients on 8 connections read every row right, beside commits", async () => {
    const stores = await Promise.all([1, 2, 3, 4, 5].map(() => open("crowd", { connections: 8 })));
    const [writer] = stores as [WritableStore];
    await writer.commit(homes);
    let isOver = false;
    let answered = 0;
    const reading = stores.flatMap((store, nth) =>
      Array.from({ length: 8 }, async (_, i) => {
        for (let n = nth * 8 + i; !isOver; n += 7) {
          const own = n % count;
          const [town, key] = [`town ${n % (count / ofTown)}`, `h${String(own).padStart(4, "0")}`];
          const [found, listed, counted] = await Promise.all([
            store.one(askHomes({ filter: `HomeKey eq '${key}'` })),
            store.page(askHomes({ filter: `Town eq '${town}'`, top: 100 })),
            store.count(askHomes({ filter: `contains(Town,'${town}')` })),
          ]);
          expect(JSON.parse(Buffer.from(found ?? []).toString())).toEqual({ HomeKey: key });
          expect(keysOf(listed)).toHaveLength(ofTown);
          expect(
            keysOf(listed).every((one) => Number(one.slice(1)) % (count / ofTown) === n % (count / ofTown)),
          ).toBe(true);
          expect(counted).toBeGreaterThanOrEqual(ofTown);
          answered += 1;
        }
      }),
    );
    const writing = async () => {
      for (let i = 0; i < 40; i += 1)
        await writer.commit([homeRecord({ key: "w", rank: -i - 1, town: `elsewhere ${i}`, place: null })]);
    };
    await Promise.all([
      ...reading,
      writing().finally(() => {
        isOver = true;
      }),
    ]);
    expect(answered).toBeGreaterThan(40);
    const { rows } = await direct.query<{ n: string }>(
      "select count(*) as n from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    );
    expect(Number(rows[0]?.n)).toBeLessThanOrEqual(serverConnections);
    for (const store of stores) await store.close();
  }, 120_000);

  test("walks of several clients meet every record once, whatever is committed meanwhile", async () => {
    const stores = await Promise.all([1, 2, 3].map(() => open("walks", { connections: 4 })));
    const [writer] = stores as [WritableStore];
    await writer.commit(homes);
    const walking = stores.map(async (store) => {
      const keys: string[] = [];
      for (let from: Bookmark | null | undefined; from !== null; ) {
        const page: Page = await store.page(askHomes({ orderBy: "Rank desc,HomeKey", top: 50 }), { from });
        keys.push(...keysOf(page));
        from = page.next;
        await writer.commit([homeRecord({ key: `n${keys.length}`, rank: keys.length, place: null })]);
      }
      return keys;
    });
    for (const keys of await Promise.all(walking)) {
      expect(new Set(keys).size).toBe(keys.length);
      expect(keys.filter((key) => key.startsWith("h"))).toHaveLength(count);
    }
    for (const store of stores) await store.close();
  }, 60_000);

  test("a wall holds for each transaction: queries of two scopes at once see their own rows", async () => {
    const store = await open("walled", { resources: walledResources, wall: { role: "reader" } });
    await store.commit(walledRows("").Property.map((row) => row.stored));
    const scopes = [datasets[0], datasets[1]].map((dataset) =>
      walledScope({ regions: [{ kind: "national", value: "US" }], datasets: { [dataset]: ["Property"] } }),
    );
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const scope = scopes[i % 2];
        if (scope === undefined) return;
        const { records } = await store.page(allOf("Property", scope));
        const keys = (JSON.parse(`[${Buffer.from(records).toString()}]`) as { Key: string }[]).map(
          ({ Key }) => Key,
        );
        expect(keys.toSorted()).toEqual(grantedKeys("Property", scope));
      }),
    );
    await store.close();
  });

  test("nothing is left in a session of the server", async () => {
    const store = await open("stateless", { wall: { role: "reader" } });
    await store.commit(homes.slice(0, 10));
    await Promise.all(Array.from({ length: 20 }, () => store.page(askHomes({}))));
    await store.close();
    // Holds all connections of the pooler at once, so that each of them tells its own state.
    const state = `select pg_backend_pid() as pid, current_user as role, current_setting('search_path') as path,
      current_setting('default_transaction_read_only') as readonly, current_setting('statement_timeout') as timeout,
      current_setting('cadastre.scope', true) as scope,
      (select count(*) from pg_prepared_statements) as prepared,
      (select count(*) from pg_locks where locktype = 'advisory') as locks, pg_sleep(0.3)`;
    const clients = new pg.Pool({ connectionString: pooler.url, max: serverConnections });
    const states = await Promise.all(
      Array.from({ length: serverConnections }, async () => (await clients.query(state)).rows[0] as object),
    );
    await clients.end();
    const pids = new Set(states.map((one) => ("pid" in one ? one.pid : undefined)));
    expect(pids.size).toBe(serverConnections);
    for (const one of states)
      expect(one).toMatchObject({
        role: "postgres",
        path: '"$user", public',
        readonly: "off",
        timeout: "0",
        prepared: "0",
        locks: "0",
      });
    for (const one of states) expect("scope" in one ? (one.scope ?? "") : "").toBe("");
  });
});
