import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query } from "./support/ask.ts";
import { requireNoCanary } from "./support/canaries.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
const clients = new Map<string, Client>();
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "600", CADASTRE_MCP: "true", CADASTRE_MINIMUM_CELL_SIZE: "3" });
  base = running.service.baseUrl;
  for (const name of ["national", "market", "state", "coarse"])
    clients.set(name, await connect(running.key(name)));
});
afterAll(async () => {
  for (const client of clients.values()) await client.close();
  await running.stop();
});

async function connect(apiKey: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const url = new URL(`${base}/mcp`);
  const transport = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { "x-api-key": apiKey } },
  });
  // Its optional members are declared without undefined.
  await client.connect(transport as Transport);
  return client;
}

type Result = { readonly isError: boolean; readonly text: string };

async function call(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  name = "national",
): Promise<Result> {
  const { content, isError = false } = await (clients.get(name) as Client).callTool({
    name: tool,
    arguments: given,
  });
  const [{ text = "" } = {}] = content as readonly { readonly text?: string }[];
  const apiKey = running.key(name);
  requireNoCanary(text, `the result of ${tool}`, apiKey);
  return { isError: isError === true, text };
}

async function answerOf<T>(
  tool: string,
  given: Readonly<Record<string, unknown>>,
  name?: string,
): Promise<T> {
  const { isError, text } = await call(tool, given, name);
  expect([isError, text.slice(0, 300)]).toEqual([false, expect.any(String)]);
  return JSON.parse(text) as T;
}

type Row = Readonly<Record<string, unknown>>;
type Rows = { readonly rows: readonly Row[]; readonly more: boolean };

const get = async (target: string, name: string) => {
  const reply = await ask(base, target, { "x-api-key": running.key(name) });
  expect(reply.status).toBe(200);
  return JSON.parse(reply.text) as Row;
};
const odata = async (set: string, options: Readonly<Record<string, string | number>>, name: string) =>
  (await get(`/reso/odata/${set}${query({ $ignorenulls: "true", ...options })}`, name))[
    "value"
  ] as readonly Row[];

/** Questions that rows answer: what is asked of the tool, and the same of the collection. */
const rowQuestions: readonly (readonly [question: string, key: string, Readonly<Record<string, unknown>>])[] =
  [
    ["the dearest homes", "national", { select: "ListingKey,ListPrice", orderby: "ListPrice desc", top: 5 }],
    [
      "the cheapest active homes",
      "national",
      { filter: "StandardStatus eq 'Active'", orderby: "ListPrice", top: 3 },
    ],
    [
      "homes in Texas with a pool",
      "national",
      { filter: "StateOrProvince eq 'TX' and PoolFeatures/any()", top: 10 },
    ],
    [
      "homes of at least four bedrooms below half a million",
      "national",
      { filter: "BedroomsTotal ge 4 and ListPrice lt 500000" },
    ],
    [
      "homes built since 2015",
      "market",
      { filter: "YearBuilt ge 2015", select: "ListingKey,YearBuilt", orderby: "YearBuilt desc" },
    ],
    [
      "homes whose remarks tell of a view",
      "national",
      { filter: "contains(PublicRemarks,'view')", select: "ListingKey,PublicRemarks", top: 4 },
    ],
    [
      "what changed last",
      "national",
      { orderby: "ModificationTimestamp desc", select: "ListingKey,ModificationTimestamp", top: 7 },
    ],
    [
      "homes near the middle of Austin",
      "national",
      {
        filter: "geo.distance(Coordinates,geography'SRID=4326;POINT(-97.74 30.27)') lt 30000",
        select: "ListingKey,Coordinates",
        top: 10,
      },
    ],
    ["offices", "national", { set: "Office", select: "OfficeKey,OfficeName", top: 5 }],
    [
      "agents of an office",
      "national",
      { set: "Member", filter: "OfficeName ne null", select: "MemberKey,OfficeName", top: 5 },
    ],
    [
      "kinds of appliances",
      "national",
      { set: "Lookup", filter: "LookupName eq 'Appliances'", select: "LookupValue", top: 50 },
    ],
    [
      "homes that one system lists",
      "national",
      { filter: "OriginatingSystemName eq 'Lone Star MLS'", top: 5 },
    ],
    [
      "photos",
      "national",
      { set: "Media", filter: "MediaCategory eq 'Photo'", select: "MediaKey,MediaURL", top: 2 },
    ],
    ["the second page", "national", { orderby: "ListingKey", select: "ListingKey", top: 10, skip: 10 }],
    [
      "Texas as one key sees it",
      "state",
      { orderby: "ListPrice desc", select: "ListingKey,ListPrice,City", top: 10 },
    ],
    [
      "Washington as a masked key sees it",
      "coarse",
      { select: "ListingKey,Latitude,Longitude,PostalCode", top: 10 },
    ],
  ];

/** Questions that a number answers. */
const countQuestions: readonly (readonly [key: string, set: string, filter: string | undefined])[] = [
  ["national", "Property", undefined],
  ["state", "Property", undefined],
  ["coarse", "Property", "ListPrice gt 400000"],
  ["market", "Property", "StandardStatus in ('Active','Pending')"],
  ["national", "Office", undefined],
  ["national", "Property", "City eq 'Nowhere'"],
];

describe("the tools answer", () => {
  test.each(rowQuestions)("%s", async (_, key, given) => {
    const { rows, more } = await answerOf<Rows>("query", given, key);
    const { set = "Property", filter, select, orderby, top = 20, skip } = given;
    const options = Object.entries({
      $filter: filter,
      $select: select,
      $orderby: orderby,
      $top: top,
      $skip: skip,
    });
    const given$ = Object.fromEntries(options.filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >;
    const expected = await odata(String(set), given$, key);
    expect(expected.length).toBeGreaterThan(0);
    if (select !== undefined) expect(rows).toEqual(expected);
    else
      expect(rows.map(({ ListingKey }) => ListingKey)).toEqual(expected.map(({ ListingKey }) => ListingKey));
    expect(more).toBe(expected.length === Number(top) && (await hasMore(String(set), given$, key)));
  });

  const hasMore = async (set: string, options: Readonly<Record<string, string>>, key: string) =>
    "@odata.nextLink" in (await get(`/reso/odata/${set}${query(options)}`, key));

  test.each(countQuestions)("how many: `%s`, %s, %s", async (key, set, filter) => {
    const { text } = await ask(
      base,
      `/reso/odata/${set}/$count${filter === undefined ? "" : query({ $filter: filter })}`,
      { "x-api-key": running.key(key) },
    );
    expect(await answerOf("count", { set, ...(filter === undefined ? {} : { filter }) }, key)).toEqual({
      count: Number(text),
    });
  });

  test("a property by its Placekey, its own id and a listing", async () => {
    const placekey = running.service.examples?.placekey ?? "";
    const data = (await get(`/v1/properties/${encodeURIComponent(placekey)}`, "national"))["data"];
    expect(await answerOf("property", { id: placekey })).toEqual(data);
    const [listing] = await odata("Property", { $filter: `Placekey eq '${placekey}'`, $top: 1 }, "national");
    expect(await answerOf("property", { id: listing?.["ListingKey"] })).toEqual(data);
    expect(await call("property", { id: "nope" })).toMatchObject({ isError: true });
  });

  test("what shares of fields have values", async () => {
    type Cells = {
      readonly cells: readonly {
        readonly field: string;
        readonly listings: number;
        readonly ratio: number;
      }[];
    };
    const { cells } = await answerOf<Cells>("coverage", {
      fields: ["BedroomsTotal", "City"],
      geography: "state:TX",
    });
    const { data } = (await get("/v1/field-completeness?geography=state:TX", "national")) as unknown as {
      readonly data: { readonly cells: readonly Row[] };
    };
    const wanted = data.cells.filter(({ wire_field }) =>
      ["BedroomsTotal", "City"].includes(String(wire_field)),
    );
    expect(cells.map(({ field, listings, ratio }) => [field, listings, ratio])).toEqual(
      wanted.map((cell) => [cell["wire_field"], cell["total_count"], cell["populated_ratio"]]),
    );
  });

  test("what sets, topics, fields and values there are, of those that the key sees", async () => {
    type Overview = { readonly sets: readonly string[]; readonly topics: Readonly<Record<string, number>> };
    const [all, few] = [
      await answerOf<Overview>("describe", {}),
      await answerOf<Overview>("describe", {}, "state"),
    ];
    expect(all.sets).toContain("Property");
    const sum = ({ topics }: Overview) => Object.values(topics).reduce((a, b) => a + b, 0);
    expect([sum(all), sum(few)]).toEqual([946, expect.any(Number)]);
    expect(sum(few)).toBeLessThan(60);
    type Fields = { readonly fields: readonly string[] };
    const { fields } = await answerOf<Fields>("describe", { about: "location" });
    expect(fields).toContain("City String");
    expect((await answerOf<Fields>("describe", { about: "location" }, "state")).fields).not.toContain(
      "Coordinates GeographyPoint",
    );
    expect((await answerOf<Fields>("describe", { about: "bedrooms" })).fields).toContain(
      "BedroomsTotal Int64",
    );
    expect(await answerOf("describe", { about: "StandardStatus" })).toMatchObject({
      field: "StandardStatus",
      values: expect.arrayContaining(["Active", "Pending", "Closed"]) as unknown,
    });
  });
});

describe("an error", () => {
  test.each([
    ["query", { filter: "Citty eq 'Austin'" }, "unknown_property", /position 0 to 5/],
    ["count", { filter: "ListPrice gt" }, "syntax", /position/],
    ["query", { top: 101 }, "invalid_request", /top/],
    ["query", { nope: 1 }, "invalid_request", /allowed/],
    ["query", { set: "Nope" }, "not_found", /./],
    ["describe", { set: "Nope" }, "not_found", /Property/],
    ["coverage", { fields: ["City"], geography: "Texas" }, "invalid_geography", /./],
    ["nope", {}, "not_found", /describe/],
  ])("of %s %j tells its code and what to mend", async (tool, given, code, expected) => {
    const { isError, text } = await call(tool, given);
    expect([isError, (JSON.parse(text) as Row)["error"]]).toEqual([true, expect.stringContaining(code)]);
    expect(text).toMatch(expected);
  });

  test("about a hidden field is that about an unknown one", async () => {
    const errorOf = async (name: string) =>
      (await call("query", { filter: `${name} eq 1` }, "state")).text
        .replaceAll(name, "…")
        .replaceAll("^", "");
    expect(await errorOf("Latitude")).toBe(await errorOf("Latitudx"));
  });
});

test("the tools are told in at most 1,500 tokens, whatever the model has", async () => {
  const { tools } = await (clients.get("national") as Client).listTools();
  expect(tools.map(({ name }) => name)).toEqual(["describe", "query", "count", "property", "coverage"]);
  // Tokens of JSON have 3.5 characters or more.
  expect(JSON.stringify(tools).length / 3.5).toBeLessThan(1500);
  const few = await (clients.get("state") as Client).listTools();
  expect(few.tools).toEqual(tools);
});

test("no result is longer than its bound, and a row is whole or left out", async () => {
  const select = "*";
  const { text } = await call("query", { select, top: 100 });
  const { rows, more } = JSON.parse(text) as Rows;
  expect([text.length < 24_100, more, rows.length > 0, rows.length < 100]).toEqual([true, true, true, true]);
});

const initialize = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
});
const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };

test("a request needs a key in a header, and counts as one request", async () => {
  expect((await ask(base, "/mcp", headers, "POST", initialize)).status).toBe(401);
  const own = { ...headers, "x-api-key": running.key("national") };
  const reply = await ask(base, "/mcp", own, "POST", initialize);
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json"]);
  expect(reply.headers["cache-control"]).toContain("private");
  expect((await ask(base, "/mcp", own, "POST", `[${initialize},${initialize}]`)).status).toBe(400);
  expect((await ask(base, "/mcp", own)).status).toBe(405);
  expect((await ask(base, "/mcp", own, "DELETE")).status).toBe(405);
});

test("without the setting there is no such address", async () => {
  const other = await run({ CADASTRE_LISTINGS: "50" });
  const own = { ...headers, "x-api-key": other.key("national") };
  expect((await ask(other.service.baseUrl, "/mcp", own, "POST", initialize)).status).toBe(404);
  await other.stop();
});
