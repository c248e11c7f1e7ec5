import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { readSettings } from "../src/database/postgres-connections.ts";
import { setUpTransactions } from "../src/database/postgres-transactions.ts";
import type { Query } from "../src/postgres/connection/round-trip.ts";
import { runTogether } from "../src/postgres/connection/session.ts";
import { openPostgresStore, type Wall } from "../src/postgres/index.ts";
import { ClosedSinceCache } from "../src/postgres/read/closed-since-cache.ts";
import { readAsOf } from "../src/postgres/read/reader.ts";
import type { Run } from "../src/postgres/read/reading-place.ts";
import { tableOf } from "../src/schema/table.ts";
import { visibilityRuleOf } from "../src/testing/grants.ts";
import { type Harness, onEveryLayout } from "./conformance/harness.ts";
import { conformance } from "./conformance/index.ts";
import { databasesOfSchemas } from "./support/databases.ts";
import { distributionFaults, undistributable } from "./support/distribution-faults.ts";
import { hiddenRows } from "./support/hidden-rows.ts";
import { homeRecord, homesResource } from "./support/homes.ts";
import { ask, records, scopeOf, stored, texas } from "./support/listings.ts";
import { type PlanWords, plans } from "./support/plans.ts";

if (!hasPostgres) console.warn("no PostgreSQL server is installed: its store is not tested");

test("closed versions are looked for once one is known since, or found to be closed", async () => {
  const versions = {
    current: { text: "current", values: [] },
    merged: { text: "merged", values: [] },
  };
  const history = { text: "history", values: [] };
  const asked: string[][] = [];
  const run: Run = async (queries) => {
    asked.push(queries.map(({ text }) => text));
    queries[0]?.onRow?.([null, "t", "6"]);
    queries[1]?.onRow?.([queries[1].text === "merged" ? "7" : "6"]);
  };
  const closings = new ClosedSinceCache();
  const countAt = async (checkpoint: number) => {
    asked.length = 0;
    return (await readAsOf(run, { count: versions }, { checkpoint }, history, closings)).count;
  };
  const [current, merged] = [
    ["history", "current"],
    ["history", "merged"],
  ];
  expect(await countAt(5)).toBe(7);
  expect(asked).toEqual([current, merged]);
  expect(await countAt(4)).toBe(7);
  expect(asked).toEqual([merged]);
  expect(await countAt(6)).toBe(7);
  expect(asked).toEqual([current, merged]);
});

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  let server: PostgresServer;
  /** Statements of stores of which every record has a dataset, and the names of their tables. */
  const sent = { statements: new Set<string>(), tables: new Set<string>() };
  /** Number of open stores with records that have no dataset. */
  let shared = 0;
  beforeAll(async () => {
    onStatement((statement) => {
      if (shared === 0) sent.statements.add(statement);
    });
    server = await startPostgres();
    const pool = server.connect(1);
    await pool.query("create role reader");
    await pool.end();
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    await server.stop();
  });

  const databaseOf = databasesOfSchemas(() => server, 20);

  const harnessWith = (wall?: Wall, urlOf = databaseOf): Harness => ({
    isConcurrent: true,
    open: async (schema, { resources = [stored], readers = 3, ...options } = {}) => {
      const isShared = resources.some((resource) => resource.shared);
      if (isShared) shared++;
      else
        for (const { name, closed } of resources.map(tableOf))
          for (const table of [name, closed]) sent.tables.add(table);
      const store = await openPostgresStore({
        connection: await urlOf(schema),
        schema: wall === undefined ? schema : `behind_${schema}`,
        resources,
        connections: readers,
        wall,
        ...options,
      });
      if (!isShared) return store;
      const { close } = store;
      return Object.assign(store, { close: () => close().finally(() => void shared--) });
    },
  });
  const harness = harnessWith(undefined, async () => server.url);
  const walled = harnessWith({
    role: "reader",
    rules: {
      Property: visibilityRuleOf("Property"),
      Media: visibilityRuleOf("Media"),
      MediaAsset: visibilityRuleOf("MediaAsset"),
      Home: visibilityRuleOf("Member"),
      Listing: visibilityRuleOf("Property"),
      Plot: visibilityRuleOf("Member"),
      Cottage: visibilityRuleOf("Member"),
    },
  });

  const words: PlanWords = {
    byKey: /Index Scan using "Listing_key"/,
    by: (index) => new RegExp(`Index Scan( Backward)? (using|on) "${index}"`),
    byPlace: (index) => new RegExp(`Index Scan (using|on) "${index}"`),
    scan: /Seq Scan/,
    sort: /Sort/,
    whole: /-> {2}Sort .* rows=\d{4}|Seq Scan|Filter: .*"CloseDate"/,
  };
  for (const [name, one] of [
    ["a store", harnessWith()],
    ["a store behind a wall", walled],
  ] as const) {
    if (one === walled || onEveryLayout) conformance(name, one);
    plans(name, one, words);
  }

  hiddenRows("PostgreSQL", harness, (plan) =>
    plan.flatMap((step, i) => {
      const condition = plan[i + 1] ?? "";
      const isScan = /(Seq|Index|Index Only|Bitmap Index) Scan/.test(step);
      return isScan ? [condition.includes("Index Cond") ? condition : step] : [];
    }),
  );

  test("indexes that call helper functions come back when these are replaced", async () => {
    const resources = [homesResource];
    const before = await harness.open("replaced", { resources });
    await before.commit([homeRecord({ key: "h", town: "Bend", place: [1, 1] })]);
    await before.notes.set("cadastre_helpers", "of another release");
    await before.close();
    const after = await harness.open("replaced", { resources });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select indexname as name from pg_indexes where schemaname = 'replaced' and tablename = 'Home'",
    );
    await client.end();
    const names = rows.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["Home_Place_place", "Home_Town_Rank_folded"]));
    await after.close();
  });

  test("helper functions that views and indexes of others call are not replaced", async () => {
    const resources = [homesResource];
    const before = await harness.open("called", { resources });
    await before.commit([homeRecord({ key: "h", town: "Bend", place: [1, 1] })]);
    await before.notes.set("cadastre_helpers", "of another release");
    await before.close();
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const call = `called.cadastre_foldcase("Town")`;
    for (const [mine, made] of [
      ["view called.mine", `as select ${call} from called."Home"`],
      ["index mine", `on called."Home" (${call})`],
    ] as const) {
      await client.query(`create ${mine} ${made}`);
      await expect(harness.open("called", { resources })).rejects.toMatchObject({
        code: "schema_unsupported",
        message: expect.stringContaining("mine") as string,
      });
      await client.query(`drop ${mine.replace("index ", "index called.")}`);
    }
    await client.end();
    const after = await harness.open("called", { resources });
    expect(await after.checkpoint()).toBe(1);
    await after.close();
  });

  test("a publication is rehearsed while another process commits", async () => {
    const store = await harness.open("rehearsing");
    await store.builds.stage("Property", "mls", records, { cursor: "1" });
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query("set search_path to rehearsing");
    await client.query(`update "Property_staged" set "cadastre_record" = '{}'`);
    await client.query(`begin; lock table "cadastre_commit" in exclusive mode`);
    const publication = store.builds.publish(["Property"], undefined, { rehearse: true });
    await expect(publication).rejects.toMatchObject({ code: "invalid_record" });
    await client.end();
    await store.close();
  });

  test("processes that open a new store at once do not meet", async () => {
    const stores = await Promise.all(Array.from({ length: 4 }, () => harness.open("together")));
    for (const store of stores) expect((await store.commit(records)).checkpoint).toBe(1);
    for (const store of stores) await store.close();
  });

  test("the statements of one message see one state of the store, whatever is committed between them", async () => {
    const store = await harness.open("snapshot");
    await store.commit(records.slice(0, 2));
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await setUpTransactions(client, { search_path: "snapshot", ...readSettings(10_000, false) }, "unnamed");
    const begin = { text: "begin isolation level repeatable read read only", values: [] };
    const seen: unknown[] = [];
    const count: Query = {
      text: `select count(*) from "Property"`,
      values: [],
      onRow: ([number]) => seen.push(number),
    };
    const sleep = { text: "select pg_sleep(0.5)", values: [] };
    const both = runTogether(client, [begin, count, sleep, count, { text: "commit", values: [] }]);
    await new Promise((resolve) => void setTimeout(resolve, 100));
    await store.commit(records);
    await both;
    await runTogether(client, [count]);
    expect(seen).toEqual(["2", "2", "6"]);
    await client.end();
    await store.close();
  });

  test("a connection that is lost is replaced", async () => {
    const store = await harness.open("lost");
    await store.commit(records);
    expect((await store.page(ask())).length).toBe(records.length);
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()",
    );
    await client.end();
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect((await store.page(ask())).length).toBe(records.length);
    expect(await store.commit(records)).toMatchObject({ unchanged: records.length });
    await store.close();
  });

  test("what is too long for an index is no record, and no failure", async () => {
    const store = await harness.open("long");
    const City = Array.from({ length: 20_000 }, (_, i) =>
      String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000)),
    ).join("");
    const [first] = records;
    if (first === undefined) throw new Error("no records");
    const long = { ...first, record: { ...first.record, City } };
    await expect(store.commit([long])).rejects.toMatchObject({ code: "invalid_record" });
    await store.close();
  });

  test("prepared statements of a connection are bounded", async () => {
    const store = await harness.open("bounded", { readers: 1 });
    await store.commit(records);
    for (let i = 1; i <= 400; i++) {
      const filter = Array.from({ length: i % 300 }, (_, n) => `ListPrice ne ${n}`).join(" and ") || "true";
      expect(await store.count(ask({ filter }))).toBeGreaterThan(0);
    }
    await store.close();
  });

  test("a page from a time on is planned once, not for each time", async () => {
    const clients: pg.Client[] = [];
    const { prototype } = pg.Client as unknown as { readonly prototype: Connectable };
    const { connect } = prototype;
    const connecting = vi.spyOn(prototype, "connect").mockImplementation(function (this: pg.Client, ...args) {
      clients.push(this);
      return connect.apply(this, args);
    });
    const store = await harness.open("times", { readers: 1 });
    await store.commit(records);
    for (let day = 1; day <= 9; day++) {
      const filter = `ModificationTimestamp gt 2024-01-0${day}T00:00:00Z`;
      const page = ask({ filter, orderBy: "ModificationTimestamp" }, scopeOf({ [texas]: "*" }));
      expect((await store.page(page)).length).toBe(3);
    }
    connecting.mockRestore();
    const plans = `select custom_plans, generic_plans from pg_prepared_statements where statement like '%"ModificationTimestamp" > %'`;
    const made: unknown[] = [];
    for (const client of clients) made.push(...(await client.query(plans).catch(() => ({ rows: [] }))).rows);
    expect(made).toEqual([{ custom_plans: "0", generic_plans: "9" }]);
    await store.close();
  });

  // The last test: it checks what the others have sent.
  test("what is sent can be distributed by dataset", async () => {
    const store = await harness.open("distributed");
    await store.commit(records);
    await store.close();
    expect(sent.statements.size).toBeGreaterThan(0);
    const faults = [...sent.statements].flatMap((statement) => {
      const found = [...distributionFaults(statement, sent.tables)];
      return found.length === 0 ? [] : [[found.map((fault) => undistributable[fault]), statement]];
    });
    expect(faults).toEqual([]);
  });
});

type Connectable = { readonly connect: (this: pg.Client, ...args: readonly unknown[]) => unknown };

/** The part of a `pg` connection that sends statements. */
type Wire = {
  parse: (this: Wire, statement: { readonly text: string }, ...more: unknown[]) => void;
  query: (this: Wire, text: string) => void;
};

/** Calls `see` with each statement that this process sends to PostgreSQL. */
function onStatement(see: (statement: string) => void): void {
  const wire = (pg as unknown as { readonly Connection: { readonly prototype: Wire } }).Connection.prototype;
  const { parse, query } = wire;
  vi.spyOn(wire, "parse").mockImplementation(function (this: Wire, statement, ...more) {
    see(statement.text);
    parse.call(this, statement, ...more);
  });
  vi.spyOn(wire, "query").mockImplementation(function (this: Wire, text) {
    see(text);
    query.call(this, text);
  });
}
