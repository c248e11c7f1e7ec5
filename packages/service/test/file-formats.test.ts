import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, type Headers, query, type Reply, toError, walk } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

type Entity = Readonly<Record<string, unknown>>;
type Feature = { readonly type: string; readonly geometry: unknown; readonly properties: Entity };

let running: Running;
let base: string;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const property = "/reso/odata/Property";
const get = (target: string, name = "national", headers: Headers = {}) =>
  ask(base, target, { "x-api-key": running.key(name), ...headers });
const rowsOf = async (options: Readonly<Record<string, string>>, name: string): Promise<readonly Entity[]> =>
  (await walk(base, property + query(options), { "x-api-key": running.key(name) })).flatMap(
    ({ value }) => value,
  );

/** Returns all pages of a file, by the links in their headers. */
async function pagesOf(options: Readonly<Record<string, string>>, name: string): Promise<readonly Reply[]> {
  const pages: Reply[] = [];
  for (let next: string | undefined = property + query(options); next !== undefined; ) {
    const reply = await get(next, name);
    expect(reply.status).toBe(200);
    pages.push(reply);
    next = /^<(.+)>; rel="next"$/.exec(String(reply.headers["link"]))?.[1]?.slice(base.length);
  }
  return pages;
}

/** Returns the cell that a JSON value has in CSV, after the quotes are removed. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
}

const someFields = "ListPrice,ListingKey,City,PublicRemarks,Appliances,Coordinates,ModificationTimestamp";
const fewFields = "ListPrice,ListingKey,City,PublicRemarks,Appliances,ModificationTimestamp";

describe.each(["national", "market", "state", "coarse"])("for the key `%s`", (name) => {
  const fields = name === "state" ? fewFields : someFields;

  test.each<Record<string, string>>([
    { $filter: "StandardStatus eq 'Active'", $orderby: "ListPrice desc", $select: fields, $top: "23" },
    { $filter: "ListPrice gt 300000", $top: "50" },
    { $filter: "false", $select: fields },
  ])("each format has the rows and values of JSON: %j", async (options) => {
    const rows = await rowsOf(options, name);
    const [csv, jsonl] = await Promise.all([
      pagesOf({ ...options, $format: "csv" }, name),
      pagesOf({ ...options, $format: "jsonl" }, name),
    ]);
    expect(
      jsonl.flatMap(({ text }) => text.split("\n").slice(0, -1)).map((line) => JSON.parse(line) as Entity),
    ).toEqual(rows);
    expect(csv.length).toBe(jsonl.length);
    const lines = csv.map(({ text }) => parse(text, { relax_column_count: false }) as unknown as string[][]);
    const columns = lines[0]?.[0] ?? [];
    if (options["$select"] !== undefined) expect(columns).toEqual(options["$select"].split(","));
    const [first] = rows;
    if (first !== undefined) expect(new Set(columns)).toEqual(new Set(Object.keys(first)));
    expect(lines.flatMap(([, ...cells]) => cells)).toEqual(
      rows.map((row) => columns.map((column) => cellOf(row[column]))),
    );
    if (name === "state") return;
    const features = (await pagesOf({ ...options, $format: "geojson" }, name)).flatMap(
      ({ text }) => (JSON.parse(text) as { readonly features: readonly Feature[] }).features,
    );
    expect(features).toEqual(
      rows.map(({ Coordinates: geometry, ...properties }) => ({ type: "Feature", geometry, properties })),
    );
  });
});

test.each([
  ["csv", "text/csv;charset=utf-8;header=present"],
  ["geojson", "application/geo+json"],
  ["jsonl", "application/x-ndjson"],
  ["text/csv", "text/csv;charset=utf-8;header=present"],
  ["application/geo+json", "application/geo+json"],
])("`$format=%s` is answered with %s", async (format, type) => {
  const { headers } = await get(property + query({ $top: 1, $format: format }));
  expect(headers["content-type"]).toBe(type);
});

test("`Accept` may name the formats too, and JSON is preferred where it is as good", async () => {
  const typeOf = async (accept: string) =>
    String((await get(`${property}?$top=1`, "national", { accept })).headers["content-type"]).split(";")[0];
  expect(await typeOf("text/csv")).toBe("text/csv");
  expect(await typeOf("application/geo+json;q=0.9, application/json;q=0.5")).toBe("application/geo+json");
  expect(await typeOf("text/csv;q=0.5, application/json")).toBe("application/json");
  expect(await typeOf("text/csv;q=0, */*")).toBe("application/json");
});

test("GeoJSON reads the place if it is not selected, and tells the count", async () => {
  const { text } = await get(
    property + query({ $select: "ListingKey", $top: 2, $count: "true", $format: "geojson" }),
  );
  const collection = JSON.parse(text) as {
    readonly numberMatched: number;
    readonly features: readonly Feature[];
  };
  expect([collection.numberMatched, collection.features.length]).toEqual([400, 2]);
  for (const { geometry, properties } of collection.features) {
    expect(geometry).toMatchObject({ type: "Point", coordinates: [expect.any(Number), expect.any(Number)] });
    expect(Object.keys(properties)).toEqual(["ListingKey"]);
  }
});

test("a masked key sees no place finer than its mask", async () => {
  const { text } = await get(
    property + query({ $format: "geojson", $select: "ListingKey", $top: 100 }),
    "coarse",
  );
  const { features } = JSON.parse(text) as { readonly features: readonly Feature[] };
  expect(features.length).toBeGreaterThan(10);
  for (const { geometry } of features)
    for (const degrees of (geometry as { readonly coordinates: readonly number[] } | null)?.coordinates ?? [])
      expect(Number(degrees.toFixed(2))).toBe(degrees);
});

test.each<[Record<string, string>, string, number, string]>([
  [{ $format: "geojson" }, "state", 406, "not_acceptable"],
  [{ $format: "csv", $count: "true" }, "national", 400, "conflicting_options"],
  [{ $format: "jsonl", $count: "true" }, "national", 400, "conflicting_options"],
  [{ $format: "csv", $filter: "Nope eq 1" }, "national", 400, "unknown_property"],
  [{ $format: "csv", $top: "1001" }, "national", 400, "limit_exceeded"],
  [{ $format: "csv;header=absent" }, "national", 406, "not_acceptable"],
])("%j is refused for `%s`, in JSON", async (options, name, status, code) => {
  const reply = await get(property + query(options), name);
  expect([reply.status, toError(reply).code]).toEqual([status, code]);
  expect(reply.headers["content-type"]).toMatch(/^application\/json/);
});

test("addresses other than collections have none of the formats", async () => {
  for (const path of [
    "",
    "/$metadata",
    "/Property/$count",
    `/Property('${running.service.examples?.listingKey}')`,
  ])
    expect((await get(`/reso/odata${path}?$format=csv`)).status).toBe(406);
});

test("a batch has GeoJSON as JSON, and CSV as a text", async () => {
  const requests = ["geojson", "csv"].map((format) => ({
    id: format,
    method: "GET",
    url: `Property?$top=1&$select=ListingKey&$format=${format}`,
  }));
  const headers = { "x-api-key": running.key("national"), "content-type": "application/json" };
  const { text } = await ask(base, "/reso/odata/$batch", headers, "POST", JSON.stringify({ requests }));
  const { responses } = JSON.parse(text) as { responses: readonly { headers: Entity; body: unknown }[] };
  expect(responses[0]?.body).toMatchObject({ type: "FeatureCollection" });
  expect(responses[1]?.body).toMatch(/^ListingKey\r\n\w+\r\n$/);
  expect(responses[1]?.headers["link"]).toMatch(/rel="next"/);
});
