import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresStore } from "../src/postgres/index.ts";
import { askHomes, homeRecord, homesResource } from "./support/homes.ts";

const resources = [homesResource];
const austin = "geo.distance(Place,geography'SRID=4326;POINT(-97.7 30.2)') lt 20000";

const homes = Array.from({ length: 200 }, (_, i) =>
  homeRecord({
    key: `h${i}`,
    isOther: i % 3 === 0,
    rank: i,
    town: i % 2 === 0 ? "Bend" : "STRASSE",
    place: i % 5 === 0 ? null : [-97.7 + (i % 20) / 100, 30.2],
  }),
);

describe.skipIf(!hasPostgres)("a database of a store", () => {
  let server: PostgresServer;
  const folder = mkdtempSync(join(tmpdir(), "cadastre-dump-"));
  const dump = join(folder, "dump");

  /** Returns what the store answers to a query that an index of places serves, and to one of folded text. */
  async function answersOf(connection: string): Promise<readonly string[]> {
    const store = await openPostgresStore({ connection, resources });
    try {
      const near = await store.page(askHomes({ filter: austin, orderBy: "Rank" }));
      const folded = await store.page(askHomes({ filter: "Town eq 'strasse'", ignoreCase: true }));
      return [near, folded].map(({ records }) => Buffer.from(records).toString());
    } finally {
      await store.close();
    }
  }

  beforeAll(async () => {
    server = await startPostgres();
    const store = await openPostgresStore({ connection: server.url, resources });
    await store.commit(homes);
    await store.close();
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("is dumped and restored, and answers as before", async () => {
    const before = await answersOf(server.url);
    server.run("pg_dump", "--format=custom", `--file=${dump}`, server.url);
    const restored = await server.createDatabase();
    server.run("pg_restore", "--exit-on-error", `--dbname=${restored}`, dump);
    expect(await answersOf(restored)).toEqual(before);
  });

  test("is analyzed as autovacuum does it: without a search path", async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    try {
      await client.query("set search_path = ''");
      await client.query("select relname from pg_class where relname = 'Home'");
      await client.query('vacuum analyze cadastre."Home"');
    } finally {
      await client.end();
    }
  });
});
