import { afterAll, beforeAll, expect, test } from "vitest";
import { readMetadata } from "./certification/metadata.ts";
import { ask, type Headers, query, toCollection, toEntity, toError, walk } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

/*
 * Points of OData 4.01 and of RESO Web API Core that servers miss, one test each. Whatever is asked of all sets takes them from the
 * service document.
 */

let running: Running;
let base: string;
let sets: readonly string[];
const root = "/reso/odata";
const property = `${root}/Property`;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300", CADASTRE_TOP_IS_TOTAL: "true" });
  base = running.service.baseUrl;
  sets = toCollection(await get(root)).value.map(({ name }) => String(name));
});
afterAll(() => running.stop());

const get = (target: string, headers: Headers = {}) =>
  ask(base, target, { "x-api-key": running.key("national"), ...headers });
const count = async (filter: string, options: Readonly<Record<string, string>> = {}) =>
  Number((await get(`${property}/$count${query({ $filter: filter, ...options })}`)).text);
const metadata = async () => readMetadata((await get(`${root}/$metadata`)).text);

test("every answer has a version, and the one that was asked for", async () => {
  for (const target of [root, `${root}/$metadata`, property, `${property}/$count`, `${root}/Nope`]) {
    const version = async (headers?: Headers) => {
      const reply = await get(target, headers);
      return [reply.status < 500 && reply.status !== 400, reply.headers["odata-version"]];
    };
    expect(await version()).toEqual([true, "4.0"]);
    expect(await version({ "OData-MaxVersion": "4.01" })).toEqual([true, "4.01"]);
    expect(await version({ "odata-maxversion": "4.0" })).toEqual([true, "4.0"]);
  }
  expect((await ask(base, property)).headers["odata-version"]).toBe("4.0");
});

test.each(["3.0", "2.0", "3.99", "x"])("version %s is not spoken", async (version) => {
  expect((await get(property, { "odata-maxversion": version })).status).toBe(400);
});

test("the root of the service has a slash at its end, or none", async () => {
  const [plain, slash] = [await get(root), await get(`${root}/`)];
  expect(slash.text).toBe(plain.text);
  expect(plain.headers["content-type"]).toMatch(/^application\/json/);
});

test("metadata is XML unless JSON is asked for, and every type has a key", async () => {
  expect((await get(`${root}/$metadata`)).headers["content-type"]).toBe("application/xml");
  expect((await get(`${root}/$metadata?$format=json`)).headers["content-type"]).toMatch(/json/);
  for (const { key } of (await metadata()).values()) expect(key).toHaveLength(1);
});

test("no service lies below the service", async () => {
  const kinds = toCollection(await get(root)).value.map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["EntitySet"]));
});

test.each<[number, string, Headers]>([
  [200, `${property}?$filter=City%20eq%20'nowhere'`, {}],
  [400, `${property}?$filter=City%20eq`, {}],
  [401, property, { "x-api-key": "wrong" }],
  [404, `${root}/Nope`, {}],
  [406, property, { accept: "image/png" }],
  [413, `${property}?$filter=${"(".repeat(100)}true${")".repeat(100)}`, {}],
  [413, `${property}?$orderby=${Array.from({ length: 9 }, () => "City").join()}`, {}],
  [501, `${property}?$filter=Media/$count%20gt%201`, {}],
])("the status is %i where the standard has it so: %s", async (status, target, headers) => {
  const reply = await get(target, headers);
  expect(reply.status).toBe(status);
  if (status === 200) expect(toCollection(reply).value).toEqual([]);
  else expect(toError(reply).message).not.toBe("");
});

test("a body of a type that is not read gets 415", async () => {
  const headers = { "x-api-key": running.key("national"), "content-type": "text/csv" };
  const reply = await ask(base, `${property}/$query`, headers, "POST", "$top=1");
  expect(reply.status).toBe(415);
});

test("an error is OData's object, and nothing of our own", async () => {
  const body = toEntity(await get(`${property}?$filter=BadField%20eq%201`));
  expect(Object.keys(body)).toEqual(["error"]);
  const allowed = ["code", "message", "target", "details", "innererror"];
  expect(allowed).toEqual(expect.arrayContaining(Object.keys(body["error"] ?? {})));
});

test("`$top=0` with a count is the count and an empty page, without a next link", async () => {
  const page = toCollection(await get(`${property}?$top=0&$count=true`));
  expect(page).toEqual({
    "@odata.context": `${base}${root}/$metadata#Property`,
    "@odata.count": 300,
    value: [],
  });
});

test("`$count=true` is a number of all rows, whatever page is asked for", async () => {
  for (const options of ["", "&$top=1", "&$top=5&$skip=290", "&$skip=10000"]) {
    expect(toCollection(await get(`${property}?$count=true${options}`))["@odata.count"]).toBe(300);
  }
});

test("every set takes `$top`, `$skip` past its end, `$count` and a filter of its last change", async () => {
  for (const set of sets) {
    const [total, none] = [
      toCollection(await get(`${root}/${set}?$count=true&$top=1`)),
      toCollection(await get(`${root}/${set}?$skip=10000&$top=1`)),
    ];
    expect([total.value.length, none.value.length]).toEqual([1, 0]);
    const filter = query({ $filter: "ModificationTimestamp gt 2000-01-01T00:00:00Z" });
    expect(Number((await get(`${root}/${set}/$count${filter}`)).text)).toBe(total["@odata.count"]);
  }
  expect((await get(`${property}?$skip=10001`)).status).toBe(400);
});

test("where `$top` is the number of all rows, the page that completes it has no next link", async () => {
  for (const [top, size] of [
    [1, 1],
    [2, 2],
    [3, 1],
  ]) {
    const pages = await walk(base, `${property}?$top=${top}&$select=ListingKey`, {
      "x-api-key": running.key("national"),
      prefer: `odata.maxpagesize=${size}`,
    });
    expect(pages.flatMap(({ value }) => value)).toHaveLength(top ?? 0);
    expect(pages.at(-1)?.value.length).toBeGreaterThan(0);
  }
});

test("ten pages and more have every row once", async () => {
  const pages = await walk(base, `${property}?$select=ListingKey`, {
    "x-api-key": running.key("national"),
    prefer: "odata.maxpagesize=25",
  });
  const keys = pages.flatMap(({ value }) => value.map((row) => row["ListingKey"]));
  expect([pages.length, keys.length, new Set(keys).size]).toEqual([12, 300, 300]);
});

test("names and texts mind the case of letters, unless `$ignorecase` is asked for", async () => {
  expect((await get(`${property}?$filter=city%20eq%20'x'`)).status).toBe(400);
  expect((await get(`${root}/property`)).status).toBe(404);
  const [mixed, lower] = ["StandardStatus eq 'Active'", "StandardStatus eq 'active'"];
  expect(await count(mixed)).toBeGreaterThan(0);
  expect(await count(lower)).toBe(0);
  expect(await count("contains(StandardStatus,'CTIV')")).toBe(0);
  expect(await count(lower, { $ignorecase: "true" })).toBe(await count(mixed));
});

test("null is less and greater than nothing, equal to itself alone, and unequal to every value", async () => {
  const [all, nulls] = [await count("true"), await count("BedroomsTotal eq null")];
  expect(nulls).toBeGreaterThan(0);
  for (const operator of ["gt", "ge", "lt", "le"]) {
    expect(await count(`BedroomsTotal ${operator} null`)).toBe(0);
    expect(await count(`not (BedroomsTotal ${operator} null)`)).toBe(all);
  }
  expect(await count("BedroomsTotal ne null")).toBe(all - nulls);
  expect(await count("BedroomsTotal ne 3")).toBe(all - (await count("BedroomsTotal eq 3")));
  expect(await count("not (BedroomsTotal gt 3)")).toBe(all - (await count("BedroomsTotal gt 3")));
  const [first] = toCollection(await get(`${property}?$orderby=BedroomsTotal&$top=1`)).value;
  const [last] = toCollection(await get(`${property}?$orderby=BedroomsTotal%20desc&$top=1`)).value;
  expect(first?.["BedroomsTotal"]).toBeNull();
  expect(last?.["BedroomsTotal"]).not.toBeNull();
});

test("`any` of nothing is false, `all` of nothing is true, and a collection is never null", async () => {
  const [all, some] = [await count("true"), await count("Appliances/any()")];
  expect(some).toBeGreaterThan(0);
  expect(await count("Appliances/all(a:false)")).toBe(all - some);
  expect(await count("Appliances/any(a:true)")).toBe(some);
  expect(await count("Appliances/ANY(a:a ne null)", {})).toBe(some);
  expect((await get(`${property}${query({ $filter: "Appliances/any(a:A eq 'Oven')" })}`)).status).toBe(400);
  const rows = toCollection(await get(`${property}?$select=Appliances&$top=300`)).value;
  expect(rows.every((row) => Array.isArray(row["Appliances"]))).toBe(true);
});

test("lookups are texts: `eq`, `ne`, `in`, `any` and `has` find the same rows", async () => {
  const active = await count("StandardStatus eq 'Active'");
  expect(await count("StandardStatus in ('Active')")).toBe(active);
  expect(await count("StandardStatus has 'Active'")).toBe(active);
  expect(await count("StandardStatus ne 'Active'")).toBe((await count("true")) - active);
  expect((await get(`${root}/$metadata`)).text).not.toContain("EnumType");
});

test("instants have one form, in UTC; in a query any offset means the same, however its plus is sent", async () => {
  const [row] = toCollection(await get(`${property}?$select=ModificationTimestamp&$top=1&$skip=40`)).value;
  const instant = String(row?.["ModificationTimestamp"]);
  expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const shown = new Date(Date.parse(instant) + 2 * 3_600_000).toISOString().replace("Z", "%2B02:00");
  const found = async (literal: string) =>
    get(`${property}/$count?$filter=ModificationTimestamp%20eq%20${literal}`);
  const rows = (await found(instant)).text;
  expect(Number(rows)).toBeGreaterThan(0);
  expect((await found(shown)).text).toBe(rows);
  const raw = await found(shown.replace("%2B", "+"));
  expect([200, 400]).toContain(raw.status);
  if (raw.status === 200) expect(raw.text).toBe(rows);
});

test("what a lookup field carries is what a filter accepts, and its lookup has a short name", async () => {
  const declared = (await metadata()).get("Property")?.properties;
  expect(declared?.get("StandardStatus")?.lookupName).toBe("StandardStatus");
  expect(declared?.get("AboveGradeFinishedAreaSource")?.lookupName).toBe("AreaSource");
  expect(await count("StandardStatus eq 'Active Under Contract'")).toBeGreaterThan(0);
  expect(await count("StandardStatus eq 'ActiveUnderContract'")).toBe(0);
});

test("a row has exactly the fields that the metadata declares", async () => {
  for (const [name, { properties }] of await metadata()) {
    const [row] = toCollection(await get(`${root}/${name}?$top=1`)).value;
    expect(Object.keys(row ?? {})).toEqual([...properties.keys()]);
  }
});

test("whole numbers have no length, precision or scale", async () => {
  const integers = [...(await metadata()).values()]
    .flatMap(({ properties }) => [...properties.values()])
    .filter(({ type }) => type.startsWith("Edm.Int"));
  expect(integers.length).toBeGreaterThan(50);
  for (const { maxLength, precision, scale } of integers)
    expect([maxLength, precision, scale]).toEqual([undefined, undefined, undefined]);
});

test("what the metadata declares is in the service document, and has rows", async () => {
  expect([...(await metadata()).keys()]).toEqual([...sets]);
  expect((await get(`${root}/$metadata`)).text.match(/<EntityType /g)).toHaveLength(sets.length);
  for (const name of sets) {
    expect(toCollection(await get(`${root}/${name}?$top=1`)).value).toHaveLength(1);
  }
});

test("what is declared as navigation can be expanded, and is bound to a set", async () => {
  const { text } = await get(`${root}/$metadata?$format=json`);
  const { "org.reso.metadata": types } = JSON.parse(text) as Record<
    string,
    Record<string, Record<string, unknown>>
  >;
  for (const name of sets) {
    const navigation = Object.entries(types?.[name] ?? {}).flatMap(([own, facts]) =>
      (facts as Record<string, unknown> | null)?.["$Kind"] === "NavigationProperty" ? [own] : [],
    );
    for (const own of navigation) {
      const reply = await get(`${root}/${name}?$top=2&$expand=${own}`);
      expect([own, reply.status]).toEqual([own, 200]);
      for (const row of toCollection(reply).value) expect(row).toHaveProperty(own);
    }
    const entitySet = types?.["RESO"]?.[name] as Record<string, object> | undefined;
    expect(Object.keys(entitySet?.["$NavigationPropertyBinding"] ?? {})).toEqual(navigation);
  }
});

test("a bearer token is as good as the header of the key", async () => {
  const headers = { authorization: `Bearer ${running.key("national")}` };
  const reply = await ask(base, `${property}?$top=1`, headers);
  expect(reply.text).toBe((await get(`${property}?$top=1`)).text);
});

test("a space may be sent as `%20` or as `+`", async () => {
  const [a, b] = [
    await get(`${property}?$orderby=ListPrice%20desc&$top=3`),
    await get(`${property}?$orderby=ListPrice+desc&$top=3`),
  ];
  expect(a.status).toBe(200);
  expect(toCollection(b).value).toEqual(toCollection(a).value);
});

test("the context of the service document is the address of the metadata", async () => {
  const context = toCollection(await get(root))["@odata.context"];
  expect(context).toBe(`${base}${root}/$metadata`);
  expect((await get(context.slice(base.length))).headers["content-type"]).toBe("application/xml");
});

test("a server that says 4.01 knows `in`, and says 4.01 everywhere", async () => {
  const filter = query({ $filter: "StandardStatus in ('Active','Closed')", $top: 1 });
  for (const target of [root, `${root}/$metadata`, `${property}${filter}`]) {
    const reply = await get(target, { "odata-maxversion": "4.01" });
    expect([reply.status, reply.headers["odata-version"]]).toEqual([200, "4.01"]);
  }
});
