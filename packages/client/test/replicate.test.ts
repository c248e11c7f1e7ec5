import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, openReplica, type ReplicationOptions, replicate } from "@cadastre/client";
import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Row } from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";
import { apiKey, json, startServer, type TestServer } from "./support/server.ts";

let postgres: PostgresServer | undefined;
let pool: pg.Pool | undefined;
beforeAll(async () => {
  if (!hasPostgres) return;
  postgres = await startPostgres();
  pool = postgres.connect();
});
afterAll(async () => {
  await pool?.end();
  await postgres?.stop();
});

/** As it is on the wire: a quote in an address is always escaped there. Source: WHATWG URL, section 4.4. */
const encoded = (text: string) => encodeURIComponent(text).replaceAll("'", "%27");

let server: TestServer;
/** What the service has, in the order of its changes. */
let records: Row[];
beforeEach(async () => {
  records = Array.from({ length: 25 }, (_, k) => ({
    ListingKey: `K${k}`,
    ListPrice: k,
    // Some changes have one time.
    ModificationTimestamp: `2026-01-01T00:00:${String(Math.floor(k / 2)).padStart(2, "0")}.000Z`,
  }));
  server = await startServer();
  server.trick = ({ url }, response) => {
    const { pathname, searchParams } = new URL(url, server.url);
    if (pathname !== "/reso/odata/Property") return false;
    const since = /ModificationTimestamp ge (\S+)/.exec(searchParams.get("$filter") ?? "")?.[1] ?? "";
    const from = Number(searchParams.get("$skiptoken") ?? 0);
    const all = records.filter((record) => String(record["ModificationTimestamp"]) >= since);
    const value = all.slice(from, from + 10);
    // Written as no other program would write it: it is to be requested as it is.
    const next = `${server.url}/reso/odata/Property?$skiptoken=${from + 10}&%24filter=${encoded(searchParams.get("$filter") ?? "")}&x=%7e(a)`;
    return json(response, 200, { value, ...(from + 10 < all.length ? { "@odata.nextLink": next } : {}) });
  };
});
afterEach(() => server.close());

async function walk(target: string, options: Partial<ReplicationOptions> = {}) {
  const replica = await openReplica(target);
  try {
    const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 } });
    return await replicate(connection, { resource: "Property", replica, ...options });
  } finally {
    await replica.close();
  }
}

type Place = { readonly target: string; readonly all: () => Promise<readonly Row[]> };

/** Of JSON lines, the last one of each key. */
const folder = (): Place => {
  const target = emptyFolder();
  const all = async () => {
    const lines = readFileSync(join(target, "Property.jsonl"), "utf8").trimEnd().split("\n");
    const rows = lines.map((line) => JSON.parse(line) as Row);
    const last = new Map(rows.map((row) => [row["ListingKey"], row]));
    return [...last.values()].filter((row) => row["@removed"] === undefined);
  };
  return { target, all };
};
const sqlite = (): Place => {
  const file = join(emptyFolder(), "replica.sqlite");
  const all = async () => {
    const database = new Database(file);
    const rows = database.prepare<[], { record: string }>('select record from "Property"').all();
    database.close();
    return rows.map(({ record }) => JSON.parse(record) as Row);
  };
  return { target: `sqlite:${file}`, all };
};
const postgresql = (): Place => ({
  target: postgres?.url ?? "",
  all: async () =>
    (await pool?.query<{ record: Row }>('select record from "Property"'))?.rows.map((r) => r.record) ?? [],
});

const sorted = (rows: readonly Row[]) =>
  rows.toSorted((a, b) => (String(a["ListingKey"]) < String(b["ListingKey"]) ? -1 : 1));

describe.each([
  ["a folder", folder, true],
  ["SQLite", sqlite, true],
  ["PostgreSQL", postgresql, hasPostgres],
] as const)("%s", (_, begin, can) => {
  test.runIf(can)("has the whole set, then what has changed and what is left", async () => {
    const { target, all } = begin();
    expect(await walk(target)).toEqual({
      resource: "Property",
      read: 25,
      removed: 0,
      by: "walk",
      since: null,
      next: "timestamps",
    });
    expect(sorted(await all())).toEqual(sorted(records));

    records = [
      ...records.slice(2),
      { ...records[0], ListPrice: 99, ModificationTimestamp: "2026-01-02T00:00:00.000Z" },
      { ListingKey: "new", ModificationTimestamp: "2026-01-02T00:00:01.000Z" },
    ];
    expect(await walk(target)).toEqual({
      resource: "Property",
      read: 3,
      removed: 1,
      by: "timestamps",
      since: "2026-01-01T00:00:12.000Z",
      next: "timestamps",
    });
    expect(sorted(await all())).toEqual(sorted(records));
  });

  test.runIf(can)("goes on where an interrupted walk stopped", async () => {
    const { target, all } = begin();
    if (target.startsWith("postgres")) await pool?.query("drop schema public cascade; create schema public");
    const answer = server.trick;
    let pages = 0;
    server.trick = (request, response, self) =>
      pages++ === 2 ? json(response, 500, {}) : answer(request, response, self);
    await expect(walk(target)).rejects.toMatchObject({ code: "request_refused" });
    if (!target.includes(":")) appendFileSync(join(target, "Property.jsonl"), '{"half":');
    expect(await walk(target)).toMatchObject({ by: "walk", read: 5 });
    expect(sorted(await all())).toEqual(sorted(records));
  });
});

test("a next link is requested exactly as it is", async () => {
  await walk(folder().target, { filter: "City eq 'A & B'", select: ["ListPrice"] });
  const [first, second] = server.requests.map(({ url }) => url);
  const query = new URL(first ?? "", server.url).searchParams;
  expect(Object.fromEntries(query)).toEqual({
    $orderby: "ModificationTimestamp asc",
    $filter: "(City eq 'A & B')",
    $select: "ListingKey,ModificationTimestamp,ListPrice",
  });
  expect(second).toBe(
    `/reso/odata/Property?$skiptoken=10&%24filter=${encoded("(City eq 'A & B')")}&x=%7e(a)`,
  );
});

test.each([
  ["another origin", () => "https://thief.example/reso/odata/Property"],
  ["an origin of the same length", () => `${server.url.replace("127.0", "128.0")}/reso/odata/Property`],
  ["an origin that begins alike", () => `${server.url}.thief.example/reso/odata/Property`],
  ["a user of another host", () => `${server.url}@thief.example/reso/odata/Property`],
  ["another path", () => `${server.url}/v1/account/resources`],
  ["a relative path", () => "/reso/odata/Property?x"],
  ["no address", () => "next"],
] as readonly (readonly [string, () => string])[])("a next link to %s is not followed", async (_, link) => {
  server.trick = (__, response) => json(response, 200, { value: [], "@odata.nextLink": link() });
  await expect(walk(folder().target)).rejects.toMatchObject({ code: "next_link_foreign", exitCode: 5 });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["no records", {}],
  ["a record without a key", { value: [{ ModificationTimestamp: "2026-01-01T00:00:00Z" }] }],
  ["a record without a time", { value: [{ ListingKey: "a" }] }],
  ["a time that is a filter", { value: [{ ListingKey: "a", ModificationTimestamp: "2026 or true" }] }],
])("an answer with %s is refused", async (_, body) => {
  server.trick = (__, response) => json(response, 200, body);
  await expect(walk(folder().target)).rejects.toMatchObject({ code: "answer_malformed" });
});

test("a resource is a name", async () => {
  await expect(walk(folder().target, { resource: "../v1" })).rejects.toMatchObject({
    code: "resource_invalid",
  });
  await expect(openReplica("duckdb:file")).rejects.toMatchObject({ code: "format_not_loadable" });
});

test("a file of lines that is not this program's is refused, and keeps them", async () => {
  const target = emptyFolder();
  writeFileSync(join(target, "Property.jsonl"), "mine\n");
  await expect(walk(target)).rejects.toMatchObject({ code: "file_occupied", exitCode: 8 });
  expect(server.requests).toEqual([]);
  expect(readFileSync(join(target, "Property.jsonl"), "utf8")).toBe("mine\n");
});

test("a file that has lost lines is not gone on with", async () => {
  const target = emptyFolder();
  await walk(target);
  const file = join(target, "Property.jsonl");
  for (const lose of [() => truncateSync(file, 100), () => rmSync(file)]) {
    lose();
    await expect(walk(target)).rejects.toMatchObject({ code: "state_malformed" });
  }
  expect(existsSync(file)).toBe(false);
});

test("a table that is not this program's is refused, and a prefix has one of its own", async () => {
  const file = join(emptyFolder(), "own.sqlite");
  const database = new Database(file);
  database.exec(
    "create table property (key text primary key, modified text, record text); insert into property values ('K1', '', 'mine')",
  );
  await expect(walk(`sqlite:${file}`)).rejects.toMatchObject({ code: "table_occupied", exitCode: 8 });
  expect(server.requests).toEqual([]);
  expect(database.prepare("select record from property").pluck().all()).toEqual(["mine"]);
  const replica = await openReplica(`sqlite:${file}`, { prefix: "copy_" });
  const connection = connect({ url: server.url, apiKey });
  await replicate(connection, { resource: "Property", replica });
  await replica.close();
  expect(database.prepare("select count(*) from copy_Property").pluck().get()).toBe(25);
  expect(database.prepare("select record from property").pluck().all()).toEqual(["mine"]);
  database.close();
});
