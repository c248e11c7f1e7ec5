import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPostgresStore } from "../src/postgres/index.ts";
import { rowsOf } from "./conformance/harness.ts";
import { askCottages, cottageRecord, cottagesResource } from "./support/cottages.ts";

const resources = [cottagesResource];
const records = Array.from({ length: 3000 }, (_, i) =>
  cottageRecord({
    key: `c${String(i).padStart(4, "0")}`,
    dataset: i % 2,
    rank: i % 9,
    remarks: `${i % 2 === 0 ? "A pool" : "None"}, and number ${i} ${"of many other words ".repeat(40)}`,
    street: null,
  }),
);
const rare = askCottages({ filter: "contains(Remarks,'number 1234')", orderBy: "Street" });
const common = askCottages({ filter: "contains(Remarks,'pool')", orderBy: "Rank,CottageKey", top: 20 });

describe.skipIf(!hasPostgres)("trigram indexes of PostgreSQL", () => {
  let server: PostgresServer;
  let owner: pg.Client;
  beforeAll(async () => {
    server = await startPostgres();
    owner = new pg.Client({ connectionString: server.url });
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await server.stop();
  });

  test("are made once the extensions are there, and until then all texts are read", async () => {
    const url = new URL(await server.createDatabase());
    const admin = new pg.Client({ connectionString: url.href });
    await admin.connect();
    await admin.query(`create role tenant login; create schema own authorization tenant`);
    await admin.query(`revoke create on database "${url.pathname.slice(1)}" from public`);
    url.username = "tenant";
    const said: string[] = [];
    const migration = { onProgress: (step: string) => void said.push(step) };
    const open = () => openPostgresStore({ connection: url.href, schema: "own", resources, migration });
    const found = async () => {
      const store = await open();
      const plan = (await store.explain(rare)).join("\n");
      const keys = rowsOf(await store.page(rare)).map((row) => row["CottageKey"]);
      await store.close();
      return { keys, isIndexed: plan.includes("Cottage_Remarks_grams") };
    };
    const first = await open();
    await first.commit(records);
    await first.close();
    expect(said.join("\n")).toMatch(
      /^contains, startswith and endswith will read all texts, .*permission denied.*: run `create extension pg_trgm; create extension btree_gin;` in the database as its owner, then migrate again$/,
    );
    expect(await found()).toEqual({ keys: ["c1234"], isIndexed: false });
    await admin.query("create extension pg_trgm; create extension btree_gin");
    expect(await found()).toEqual({ keys: ["c1234"], isIndexed: true });
    await admin.end();
  });

  test("are used for rare words, and for a page of a common word neither after a load nor without statistics", async () => {
    const store = await openPostgresStore({ connection: server.url, schema: "words", resources });
    await store.commit(records);
    const plans = async () =>
      Promise.all([rare, common].map(async (query) => (await store.explain(query)).join("\n")));
    const [ofRare, ofCommon] = await plans();
    expect(ofRare).toMatch(/Bitmap Index Scan on "Cottage_Remarks_grams"/);
    expect(ofCommon).not.toMatch(/_grams/);
    expect(ofCommon).toMatch(/Index Scan using "Cottage_DatasetId_Rank_CottageKey"/);
    await store.close();
  });
});
