import { hasPostgres, type PostgresServer, startPostgres } from "@cadastre/odata/testing";
import Database from "better-sqlite3";
import knex, { type Knex } from "knex";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchOdata } from "../src/fetch/index.ts";
import { type DeclarationMismatch, everything, filter, nothing, unrestricted } from "../src/index.ts";
import { afterCreate, knexSource, prepareKnex } from "../src/knex/index.ts";
import { arraySource } from "../src/memory/index.ts";
import { bigInteger, entitySet, integer } from "../src/model/index.ts";
import { postgresSource, preparePostgres } from "../src/pg/index.ts";
import type { SourceMaker } from "../src/source/sql-source.ts";
import { sqliteSource } from "../src/sqlite/index.ts";
import { entitySets, rows, statements } from "./support/office.ts";

const root = "https://office.example/odata";

if (!hasPostgres) console.warn("PostgreSQL is not installed: its sources are left out");

let server: PostgresServer | undefined;
const closing: (() => unknown)[] = [];
const sources = new Map<string, SourceMaker>([["memory", arraySource(rows)]]);

beforeAll(async () => {
  const database = new Database(":memory:");
  for (const statement of statements("sqlite")) database.exec(statement);
  sources.set("better-sqlite3", sqliteSource(database));

  const connection = { filename: ":memory:" };
  const sqliteKnex = knex({
    client: "better-sqlite3",
    connection,
    useNullAsDefault: true,
    pool: { afterCreate, min: 1, max: 1 },
  });
  await prepareKnex(sqliteKnex);
  for (const statement of statements("sqlite")) await sqliteKnex.raw(statement);
  sources.set("knex, SQLite", knexSource(sqliteKnex));
  closing.push(() => sqliteKnex.destroy());

  if (!hasPostgres) return;
  server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  sources.set("pg", postgresSource(pool));
  await preparePostgres(pool);
  for (const statement of statements("postgres")) await pool.query(statement);
  const postgresKnex: Knex = knex({ client: "pg", connection: server.url, pool: { afterCreate } });
  await prepareKnex(postgresKnex);
  sources.set("knex, PostgreSQL", knexSource(postgresKnex));
  closing.push(
    () => pool.end(),
    () => postgresKnex.destroy(),
  );
});
afterAll(async () => {
  for (const close of closing) await close();
  await server?.stop();
});

const errors: unknown[] = [];
const mismatches: DeclarationMismatch[] = [];
const serviceOver = (source: SourceMaker, city?: string) =>
  fetchOdata("/odata", {
    namespace: "Office",
    entitySets,
    source,
    restrict:
      city === undefined
        ? unrestricted
        : () => ({ Listing: filter("City eq @city", { city }), Photo: everything, Agent: nothing }),
    skipTokenKey: new Uint8Array(32),
    onError: (error) => errors.push(error),
    onMismatch: (mismatch) => mismatches.push(mismatch),
  });

const get = async (source: SourceMaker, path: string, city?: string) => {
  const response = await serviceOver(source, city)(new Request(root + path));
  return { status: response.status, text: await response.text() };
};

const requests = [
  "/Listing",
  "/Listing?$top=2&$count=true&$select=City,ListPrice",
  "/Listing?$filter=Views gt 9007199254740992&$select=Views,Rates,Score",
  "/Listing?$filter=ListPrice eq 349900.99 or Score lt 0&$select=Score,ListPrice,OpensAt",
  "/Listing?$filter=ModificationTimestamp eq 2026-03-03T00:00:00Z&$orderby=ListingKey desc&$select=ListingKey",
  "/Listing?$filter=contains(City,'''') or View eq 'Park'&$select=ListingKey,View,Uid",
  "/Listing?$search=austin&$select=ListingKey",
  "/Listing?$compute=ListPrice div 3 as Third,year(CloseDate) as Year,now() gt ModificationTimestamp as Past&$select=Third,Year,Past",
  "/Listing?$expand=Photos($select=Caption;$orderby=Place desc;$count=true),Agent&$select=ListingKey",
  "/Listing?$filter=Photos/any(p:p/Caption ne null) and Agent/Name eq 'Ann'&$select=ListingKey",
  "/Agent?$expand=Listings/$ref($orderby=ListingKey desc;$count=true)",
  "/Listing?$expand=Agent/$ref,Photos/$ref&$select=ListingKey",
  "/Listing?$select=ListingKey,Agent&$expand=Agent($select=Name,Listings;$expand=Listings($select=ListingKey;$top=1))",
  "/Listing?$select=Agent&$expand=*",
  "/Listing('L1')?$select=City,Photos&$expand=Photos($select=Caption)",
  "/Agent?$expand=Listings($select=Views;$filter=IsNew;$top=1),Listings/$count",
  "/Listing('L1')",
  "/Listing('L''2')?$select=City,CloseDate",
  "/Listing('L1')/ListPrice",
  "/Listing('L1')/Appliances/$count",
  "/Listing('L1')/City/$value",
  "/Listing('none')",
  "/Listing('L1')/Photos",
  "/Listing('L1')/Photos?$select=Caption&$orderby=Place desc&$top=1&$count=true",
  "/Listing('L1')/Photos?$filter=Place gt 1&$expand=Listing($select=City)",
  "/Listing('L1')/Photos/$count",
  "/Listing('L1')/Photos/$count?$filter=Place gt 1",
  "/Listing('L1')/Agent",
  "/Listing('L1')/Agent?$select=Name&$expand=Listings($select=ListingKey;$top=1)",
  "/Listing('L1')/Agent/$count",
  "/Listing('none')/Photos",
  "/Agent(1)/Listings?$select=ListingKey,Views&$format=application/json;odata.metadata=full",
  "/Agent(1)/Listings?$search=austin",
  "/Agent(1)/Listings?$apply=aggregate($count as n)",
  "/Photo(ListingKey='L1',Place=2)",
  "/Photo(ListingKey='L1')",
  "/Agent(1)",
  "/Agent('1')",
  "/Listing/$count?$filter=IsNew",
  "/Listing?$format=application/json;odata.metadata=full;IEEE754Compatible=true&$top=1",
  "/Photo?$format=application/json;odata.metadata=full&$select=Caption",
  "/Listing?$ignorenulls=true&$select=City,ListPrice,Photos",
  "/Listing?$filter=Cty eq 'x'",
  "/Listing?$compute=duration'-P1DT1M' divby 5e-324 as Long&$select=ListingKey,Long&$top=1",
  "/Listing?$apply=aggregate($count as n)",
  "/Listing?$apply=aggregate(ListPrice with sum as Sum,ListPrice with average as Mean,Views with sum as Views2,Score with max as Best)",
  "/Listing?$apply=groupby((City,Agent/Name),aggregate(ListPrice with max as Most,$count as N))&$count=true",
  "/Listing?$apply=groupby((City),aggregate($count as N))/orderby(N desc)/top(1)",
  "/Listing?$apply=groupby((City),aggregate(Views with sum as Total))&$filter=Total gt 5&$orderby=Total desc&$select=Total",
  "/Listing?$apply=groupby((Agent/Name))&$ignorenulls=true",
  "/Listing?$apply=groupby((City,IsNew,CloseDate,OpensAt,Uid,ModificationTimestamp))",
  "/Listing?$apply=concat(groupby((City),aggregate($count as N)),aggregate($count as N,Score with sum as S))",
  "/Listing?$apply=concat(topcount(1,Views),aggregate(Views with sum as All))",
  "/Listing?$apply=groupby((City),topcount(1,Views))&$expand=Agent&$count=true",
  "/Listing?$apply=groupby((Agent/Name),bottomcount(1,Views))&$select=ListingKey,Agent/Name,Score",
  "/Listing?$apply=groupby((City),topcount(1,Views)/aggregate(Views with sum as Most))",
  "/Listing?$apply=filter(IsNew)/topcount(2,ListPrice)&$expand=Agent&$select=ListingKey,ListPrice",
  "/Listing?$apply=search(austin)/compute(ListPrice div 3 as Third)&$select=ListingKey,Third",
  "/Listing?$apply=groupby((City),aggregate(ListPrice with min as Least))&$compute=Least mul 2 as Twice",
  "/Listing?$apply=groupby((City))&$top=1&$skip=1&$count=true",
  "/Listing?$apply=groupby((City),aggregate(Views with sum as Total))&$format=application/json;odata.metadata=full;IEEE754Compatible=true",
  "/Listing?$apply=groupby((City),aggregate(Views with sum as Total))&$format=application/json;odata.metadata=none",
  "/Listing?$apply=topcount(1,Views)&$format=application/json;odata.metadata=full",
  "/Listing?$apply=aggregate(@x add Views with sum as Total)&@x=1",
  "/Listing/$count?$apply=groupby((City))",
  "/Listing/$count?$apply=filter(IsNew)&$filter=City ne null",
  "/Listing?$apply=groupby((City))&$expand=Agent",
  "/Listing?$apply=groupby((City))&$search=austin",
  "/Listing?$apply=groupby((City))&$filter=Views gt 1",
  "/Listing?$apply=groupby((Cty))",
  "/Listing?$apply=topsum(1,Views)",
  "/Listing('L1')?$apply=identity",
  "/Nope",
  "",
  "/$metadata",
];

const names = ["better-sqlite3", "knex, SQLite", ...(hasPostgres ? ["pg", "knex, PostgreSQL"] : [])];

describe("each source gives the bytes that arrays give", () => {
  test.each(names)("%s", async (name) => {
    for (const path of requests) {
      const expected = await get(sources.get("memory") as SourceMaker, path);
      const given = await get(sources.get(name) as SourceMaker, path);
      expect(errors, path).toEqual([]);
      expect([path, given]).toEqual([path, expected]);
    }
    expect(mismatches).toEqual([]);
  });
});

test("references to related entities hold their addresses", async () => {
  const path = "/Listing?$expand=Agent/$ref,Photos/$ref($top=1)&$select=ListingKey&$top=1";
  expect(await get(sources.get("memory") as SourceMaker, path)).toEqual({
    status: 200,
    text: `{"@odata.context":"${root}/$metadata#Listing(ListingKey,Agent,Photos)","value":[{"ListingKey":"L1","Agent":{"@odata.id":"Agent(1)"},"Photos":[{"@odata.id":"Photo(ListingKey='L1',Place=1)"}]}]}`,
  });
});

test("full metadata names the types of enumerations and links to related entities", async () => {
  const path = "/Listing('L1')?$select=Status&$format=application/json;odata.metadata=full";
  const { text } = await get(sources.get("memory") as SourceMaker, path);
  const { "@odata.etag": _, ...entity } = JSON.parse(text) as Record<string, unknown>;
  expect(entity).toEqual({
    "@odata.context": `${root}/$metadata#Listing(Status)/$entity`,
    "@odata.type": "#Office.Listing",
    "@odata.id": `${root}/Listing('L1')`,
    "@odata.readLink": `${root}/Listing('L1')`,
    "Agent@odata.navigationLink": `${root}/Listing('L1')/Agent`,
    "Photos@odata.navigationLink": `${root}/Listing('L1')/Photos`,
    "Status@odata.type": "#Office.Status",
    Status: "Active",
  });
});

describe("pages", () => {
  test.each(["memory", ...names])("of %s give each entity once", async (name) => {
    for (const order of [
      "",
      "&$orderby=City desc",
      "&$orderby=Score",
      "&$orderby=IsNew,CloseDate desc",
      "&$orderby=ListPrice",
    ]) {
      const seen: string[] = [];
      let path: string | undefined = `/Listing?$select=ListingKey${order}`;
      while (path !== undefined) {
        const answer = await serviceOver(sources.get(name) as SourceMaker)(
          new Request(root + path, { headers: { prefer: "maxpagesize=1" } }),
        );
        const body = (await answer.json()) as {
          value: { ListingKey: string }[];
          "@odata.nextLink"?: string;
        };
        expect(answer.status, JSON.stringify(body)).toBe(200);
        seen.push(...body.value.map(({ ListingKey }) => ListingKey));
        path = body["@odata.nextLink"]?.slice(root.length);
      }
      expect(seen.toSorted(), order).toEqual(["L'2", "L1", "L3", "L4"]);
    }
  });
});

describe("pages in the order of integers beyond doubles", () => {
  test.each([
    "$orderby=Number",
    "$orderby=Number desc",
    "$apply=groupby((Number))",
    "$apply=identity/orderby(Number)",
  ])("%s", async (query) => {
    const database = new Database(":memory:");
    database.exec(`create table Entry (Id integer primary key, Number integer);
        insert into Entry values (1, 9007199254740993), (2, -9007199254740995), (3, 9007199254740995), (4, null)`);
    const Entry = entitySet("Entry", {
      key: { Id: integer() },
      properties: { Number: bigInteger().nullable() },
    });
    const handler = fetchOdata("/odata", {
      namespace: "Office",
      entitySets: [Entry],
      source: sqliteSource(database),
      restrict: unrestricted,
    });
    const found: string[] = [];
    let link: string | undefined = `${root}/Entry?$select=Number&${query}`;
    while (link !== undefined && found.length < 5) {
      const answer: Response = await handler(new Request(link, { headers: { prefer: "maxpagesize=1" } }));
      const body: string = await answer.text();
      found.push(/"Number":([^}]*)/.exec(body)?.[1] ?? body);
      link = (JSON.parse(body) as Record<string, string>)["@odata.nextLink"];
    }
    const expected = ["null", "-9007199254740995", "9007199254740993", "9007199254740995"];
    expect(found).toEqual(query.endsWith("desc") ? expected.toReversed() : expected);
  });
});

describe("pages of `$apply`", () => {
  const results = [
    "groupby((City,IsNew),aggregate(ListPrice with sum as Sum,Score with max as Best))",
    "groupby((ListPrice,CloseDate))/orderby(CloseDate desc)",
    "concat(groupby((City),aggregate(Score with sum as Sum)),groupby((OpensAt)),identity)",
    "orderby(Score)/skip(1)",
    "groupby((City),orderby(Score desc)/top(1))",
    "groupby((Agent/Name,IsNew),top(1))",
  ];
  test.each(["memory", ...names])("of %s are those of one answer", async (name) => {
    const service = serviceOver(sources.get(name) as SourceMaker);
    const read = async (path: string) => {
      const answer = await service(new Request(path, { headers: { prefer: "maxpagesize=1" } }));
      expect(answer.status, path).toBe(200);
      return (await answer.json()) as { value: unknown[]; "@odata.nextLink"?: string };
    };
    for (const apply of results) {
      const path = `/Listing?$apply=${apply}`;
      const whole = JSON.parse((await get(sources.get(name) as SourceMaker, path)).text) as {
        value: unknown[];
      };
      const walked: unknown[] = [];
      let link: string | undefined = root + path;
      while (link !== undefined) {
        const page = await read(link);
        expect(page.value.length).toBeLessThanOrEqual(1);
        walked.push(...page.value);
        link = page["@odata.nextLink"];
      }
      expect(walked, apply).toEqual(whole.value);
    }
  });

  test("end after `$top` records", async () => {
    const service = serviceOver(sources.get("memory") as SourceMaker);
    const headers = { prefer: "maxpagesize=2" };
    const first = await service(new Request(`${root}/Listing?$apply=groupby((City))&$top=3`, { headers }));
    const { "@odata.nextLink": link = "" } = (await first.json()) as Record<string, string>;
    const second = (await (await service(new Request(link, { headers }))).json()) as Record<string, unknown>;
    expect(second["value"]).toEqual([{ City: "O'Fallon" }]);
    expect(second["@odata.nextLink"]).toBeUndefined();
  });
});

describe("a restriction", () => {
  test.each(["memory", ...names])(
    "of %s holds for entities, counts, paths and related entities",
    async (name) => {
      const source = sources.get(name) as SourceMaker;
      const read = async (path: string) => (await get(source, path, "Austin")).text;
      const keys = async (path: string) =>
        ((JSON.parse(await read(path)) as { value: { ListingKey: string }[] }).value ?? []).map(
          ({ ListingKey }) => ListingKey,
        );
      expect(await keys("/Listing?$select=ListingKey")).toEqual(["L1", "L4"]);
      expect(await read("/Listing/$count")).toBe("2");
      expect((await get(source, "/Listing('L3')", "Austin")).status).toBe(404);
      expect(await keys("/Listing?$filter=Agent/Name eq 'Ann'&$select=ListingKey")).toEqual([]);
      expect(await keys("/Listing?$filter=Agent ne null&$select=ListingKey")).toEqual([]);
      const agents = JSON.parse(await read("/Listing?$expand=Agent&$select=ListingKey")) as {
        value: { Agent: unknown }[];
      };
      expect(agents.value.map(({ Agent }) => Agent)).toEqual([null, null]);
      expect(await read("/Agent/$count")).toBe("0");
      expect(errors).toEqual([]);
    },
  );
});

describe("a restriction of `$apply`", () => {
  const asked = [
    "aggregate($count as N,ListPrice with sum as Sum)",
    "groupby((City),aggregate(Views with sum as Sum))",
    "groupby((City,Agent/Name),aggregate(Agent/AgentKey with sum as Keys,Agent/AgentKey with countdistinct as Agents))",
    "topcount(2,Views)/aggregate(Views with sum as Sum)",
    "skip(1)",
    "concat(bottomcount(1,Views),groupby((City)))",
    "groupby((Agent/Name),topcount(1,Views))",
    "aggregate(Photos/$count with sum as Photos)",
  ].map((apply) => `/Listing?$count=true&$apply=${apply}`);

  test.each(["memory", ...names])("of %s: nothing is told of hidden rows", async (name) => {
    const source = sources.get(name) as SourceMaker;
    const [count, grouped, related] = asked;
    const readValue = async (path = "") =>
      (JSON.parse((await get(source, path, "Austin")).text) as { value: unknown }).value;
    expect(await readValue(count)).toEqual([
      { "N@odata.type": "#Decimal", N: 2, "Sum@odata.type": "#Decimal", Sum: 874901.49 },
    ]);
    expect(await readValue(grouped)).toEqual([
      { City: "Austin", "Sum@odata.type": "#Decimal", Sum: 9007199254741000 },
    ]);
    expect(await readValue(related)).toEqual([
      { City: "Austin", Agent: { Name: null }, Keys: null, "Agents@odata.type": "#Decimal", Agents: 0 },
    ]);
  });

  test("bytes do not change when hidden rows do", async () => {
    const { Listing = [], Photo = [], Agent = [] } = rows;
    const changed = arraySource({
      Listing: [
        ...Listing.flatMap((row) =>
          row["City"] === "Austin" ? [row] : [{ ...row, Views: 99, City: "York" }],
        ),
        { ...Listing[1], ListingKey: "L5", ListPrice: 1 },
      ],
      Photo,
      Agent: Agent.map((row) => ({ ...row, Name: "Eve" })),
    });
    for (const path of asked)
      expect(await get(changed, path, "Austin")).toEqual(await get(arraySource(rows), path, "Austin"));
  });
});

describe("an option that is switched off", () => {
  test("`$apply`", async () => {
    const handler = fetchOdata("/odata", {
      namespace: "Office",
      entitySets,
      source: arraySource(rows),
      restrict: unrestricted,
      switchedOff: ["$apply"],
    });
    const answer = await handler(new Request(`${root}/Listing?$apply=identity`));
    expect([answer.status, await answer.json()]).toMatchObject([501, { error: { target: "$apply" } }]);
  });

  test("a source without `$apply`", async () => {
    const withoutApply: SourceMaker = (declared, checks) => (restrictions) => {
      const { applied: _applied, ...source } = arraySource(rows)(declared, checks)(restrictions);
      return source;
    };
    const answer = await get(withoutApply, "/Listing?$apply=identity");
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([501, { error: { target: "$apply" } }]);
    expect((await get(withoutApply, "/Listing/$count?$apply=identity")).status).toBe(501);
  });
});

describe("mistakes of the host", () => {
  test.each(["memory", ...names])("of %s are told to it, and not to the caller", async (name) => {
    const told: unknown[] = [];
    const handler = (listing: ReturnType<typeof filter>) =>
      fetchOdata("/odata", {
        namespace: "Office",
        entitySets,
        source: sources.get(name) as SourceMaker,
        restrict: () => ({ Listing: listing, Photo: everything, Agent: nothing }),
        onError: (error) => told.push(error),
      });
    const answer = async (listing: ReturnType<typeof filter>) =>
      handler(listing)(new Request(`${root}/Listing/$count`));
    const mistaken = await answer(filter("Secret eq 'x'"));
    expect([mistaken.status, await mistaken.json()]).toEqual([
      500,
      { error: { code: "internal_error", message: "the server failed" } },
    ]);
    expect(String(told[0])).toBe(
      "TypeError: the restriction of `Listing` is not valid: unknown property `Secret`",
    );
    expect(await (await answer(filter("City eq @city", { city: undefined }))).text()).toBe("0");
    expect(await (await answer(filter("City in @cities", { cities: ["Austin", "x'y"] }))).text()).toBe("2");
    expect(await (await answer(filter("City eq @city", { city: null }))).text()).toBe("1");
    expect(told).toHaveLength(1);
  });
});
