import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, type Headers, query, toCollection, toEntity, toError, walk } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

const { entitySet } = sampleCatalog;

let running: Running;
let base: string;
const property = "/reso/odata/Property";
const json = "application/json";
const { properties } = entitySet("Property").type;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "400" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const get = (target: string, headers: Headers = {}, name = "national") =>
  ask(base, target, { "x-api-key": running.key(name), ...headers });
const contentType = async (target: string, headers: Headers = {}) => {
  const reply = await get(target, headers);
  return reply.status === 200 ? reply.headers["content-type"] : reply.status;
};

const typeOf = (metadata: string, more = "") => `${json};odata.metadata=${metadata}${more}`;
const minimal = typeOf("minimal");

describe("`Accept`", () => {
  test.each<[string | undefined, string | number]>([
    [undefined, minimal],
    ["", minimal],
    ["*/*", minimal],
    ["application/*", minimal],
    [json, minimal],
    ["APPLICATION/JSON", minimal],
    // DevExtreme
    [`${json};odata=verbose,text/plain,*/*;q=0.01`, minimal],
    // OpenUI5
    [`${json};odata.metadata=minimal;IEEE754Compatible=true`, typeOf("minimal", ";IEEE754Compatible=true")],
    // ts-odatajs
    [`${json};odata.metadata=full`, typeOf("full")],
    ["text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", minimal],
    [`${json};odata.metadata=none`, typeOf("none")],
    [`${json};metadata=full`, typeOf("full")],
    [`${json}; OData.Metadata="full"; charset=UTF-8`, typeOf("full")],
    [`${json};odata.streaming=true`, typeOf("minimal", ";odata.streaming=true")],
    [`${json};streaming=false;ieee754compatible=false`, minimal],
    [`${json};IEEE754Compatible=true;ExponentialDecimals=true`, typeOf("minimal", ";IEEE754Compatible=true")],
    [`${json};odata.metadata=none;q=0.2, ${json};odata.metadata=full;q=0.3`, typeOf("full")],
    [`*/*, ${json};odata.metadata=full`, typeOf("full")],
    [`${json};q=0.1, ${json};odata.metadata=none;q=0.1`, typeOf("none")],
    [`${json};odata.metadata=full;q=0, */*;q=0.1`, minimal],
    [`${json};odata.metadata=wrong, */*`, minimal],
    [`/, ${json}`, minimal],
    ["application/xml", 406],
    ["text/plain", 406],
    ["application/atom+xml;type=feed", 406],
    [`${json};odata.metadata=wrong`, 406],
    [`${json};odata=verbose`, 406],
    [`${json};q=0`, 406],
    [`${json};q=0, */*`, 406],
    ["*/*;q=0", 406],
    ["nonsense", 406],
  ])("`%s` is answered with %s", async (accept, expected) => {
    const headers: Headers = accept === undefined ? {} : { accept };
    expect(await contentType(`${property}?$top=1`, headers)).toBe(expected);
  });

  test("has a say in every answer in JSON, and in no other", async () => {
    const key = running.service.examples?.listingKey ?? "";
    const accept = `${json};odata.metadata=full`;
    for (const address of ["", "/Property", `/Property('${key}')`, `/Property('${key}')/City`])
      expect(await contentType(`/reso/odata${address}`, { accept })).toBe(typeOf("full"));
    for (const address of ["/Property/$count", `/Property('${key}')/City/$value`])
      expect(await contentType(`/reso/odata${address}`, { accept })).toBe("text/plain;charset=utf-8");
    expect(await contentType("/reso/odata/$metadata", { accept })).toBe("application/xml");
  });

  test("is refused with what is offered", async () => {
    const reply = await get(property, { accept: "application/xml" });
    expect([reply.status, toError(reply).code, toError(reply).target]).toEqual([
      406,
      "not_acceptable",
      "Accept",
    ]);
    expect(reply.headers["content-type"]).toBe(minimal);
  });
});

describe("`$format`", () => {
  test.each<[string, string | number]>([
    ["json", minimal],
    ["JSON", minimal],
    [json, minimal],
    ["json;odata.metadata=full", typeOf("full")],
    [`${json};metadata=none;IEEE754Compatible=true`, typeOf("none", ";IEEE754Compatible=true")],
    ["xml", 406],
    ["atom", 406],
    [`${json};x=y`, 406],
    [`${json};`, 400],
    ["", 400],
  ])("`%s` is answered with %s", async ($format, expected) => {
    expect(await contentType(property + query({ $format, $top: 1 }))).toBe(expected);
  });

  test("outranks `Accept`", async () => {
    const target = property + query({ $format: "json", $top: 1 });
    expect(await contentType(target, { accept: `${json};odata.metadata=full` })).toBe(minimal);
    expect(await contentType(target, { accept: "application/xml" })).toBe(minimal);
  });

  test("goes with the next links", async () => {
    const $format = `${json};odata.metadata=none;IEEE754Compatible=true`;
    const target = property + query({ $format, $top: 150, $select: "ListPrice" });
    const pages = await walk(base, target, { "x-api-key": running.key("national") });
    expect(pages).toHaveLength(3);
    for (const page of pages) {
      expect(page["@odata.context"]).toBeUndefined();
      expect(page.value.every(({ ListPrice: price }) => price === null || typeof price === "string")).toBe(
        true,
      );
    }
  });
});

type Json = Readonly<Record<string, unknown>>;

const isControl = (name: string) => name.includes("@");
const controlOf = (record: Json) => Object.keys(record).filter(isControl);
const numeric = new Set(["Edm.Int64", "Edm.Decimal"]);

/** The record without control information, and with numbers where `IEEE754Compatible` has strings. */
const plain = (record: Json): Json =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !isControl(name))
      .map(([name, value]) => {
        const isNumber = numeric.has(properties.get(name)?.type ?? "") && typeof value === "string";
        return [name, isNumber ? Number(value) : value];
      }),
  );

const formats = ["none", "minimal", "full"].flatMap((metadata) =>
  ["", ";IEEE754Compatible=true"].map((more) => typeOf(metadata, more)),
);

describe.each(["national", "state", "coarse"])("to %s", (name) => {
  test.each(formats)("%s tells the same values, masked and derived ones too", async (accept) => {
    for (const options of [
      { $top: 40 },
      { $top: 40, $ignorenulls: true, $select: "ListPrice,PostalCode,Appliances,BedroomsTotal" },
    ]) {
      const target = property + query(options);
      const [told, stored] = [await get(target, { accept }, name), await get(target, {}, name)];
      const { value } = toCollection(stored);
      expect(toCollection(told).value.map(plain)).toEqual(value);
      expect(value.length).toBeGreaterThan(5);
      const [first] = toCollection(told).value;
      const numbers = Object.entries(first ?? {}).filter(
        ([field, text]) => numeric.has(properties.get(field)?.type ?? "") && text !== null,
      );
      expect(numbers.length).toBeGreaterThan(0);
      const expected = accept.endsWith("true") ? "string" : "number";
      expect(numbers.filter(([, number]) => typeof number !== expected)).toEqual([]);
      if (!accept.includes("full")) expect(controlOf(first ?? {})).toEqual([]);
    }
  });

  test("one entity and one property are as in the collection, in every format", async () => {
    const select = { $select: "ListPrice,Latitude,PostalCode,City,CloseDate" };
    const known = name === "state" ? { $select: "ListPrice,PostalCode,City,BedroomsTotal" } : select;
    for (const accept of formats) {
      const all = toCollection(await get(`${property}?$top=1&$select=ListingKey`, {}, name));
      const key = String(all.value[0]?.["ListingKey"]);
      const filter = { $filter: `ListingKey eq '${key}'`, ...known };
      const [row] = toCollection(await get(property + query(filter), { accept }, name)).value;
      const entity = toEntity(await get(`${property}('${key}')${query(known)}`, { accept }, name));
      const { "@odata.context": context, ...rest } = entity;
      expect(rest).toEqual(row);
      expect(context === undefined).toBe(accept.includes("none"));
      const price = toEntity(await get(`${property}('${key}')/ListPrice`, { accept }, name));
      expect(price["value"]).toBe(row?.["ListPrice"]);
      expect(controlOf(price)).toEqual(
        accept.includes("none")
          ? []
          : accept.includes("full")
            ? ["@odata.context", "@odata.type"]
            : ["@odata.context"],
      );
    }
  });
});

describe("full metadata", () => {
  test("says of each record its type, its id, its ETag and where it is read", async () => {
    const options = query({
      $select: "City,ListPrice,Appliances,Coordinates,BedroomsTotal,OnMarketDate",
      $top: 20,
    });
    const { value } = toCollection(await get(property + options, { accept: typeOf("full") }));
    for (const record of value) {
      const id = String(record["@odata.id"]);
      expect(id).toMatch(new RegExp(`^${base}/reso/odata/Property\\('[\\w-]+'\\)$`));
      expect(record).toMatchObject({ "@odata.type": "#org.reso.metadata.Property", "@odata.readLink": id });
      expect(Object.keys(record)).not.toContain("ListingKey");
      const typed: Readonly<Record<string, string>> = {
        ListPrice: "#Decimal",
        Coordinates: "#GeographyPoint",
        BedroomsTotal: "#Int64",
        OnMarketDate: "#Date",
      };
      for (const [name, type] of Object.entries(typed))
        expect(record[`${name}@odata.type`]).toBe(record[name] === null ? undefined : type);
      expect(record["Appliances@odata.type"]).toBe("#Collection(String)");
      expect(record["City@odata.type"]).toBeUndefined();
      // The annotation of a member stands before it.
      const names = Object.keys(record);
      expect(names.indexOf("Appliances@odata.type")).toBe(names.indexOf("Appliances") - 1);
    }
    const [first] = value;
    const read = await get(String(first?.["@odata.id"]).slice(base.length));
    expect([read.status, toEntity(read)["City"]]).toEqual([200, first?.["City"]]);
  });

  test("has the ETag that the entity is answered with", async () => {
    for (const options of ["", "$select=City,ListPrice", "$select=City&$ignorenulls=true"]) {
      const accept = typeOf("full");
      const [row] = toCollection(await get(`${property}?$top=1&${options}`, { accept })).value;
      const target = `${String(row?.["@odata.id"]).slice(base.length)}?${options}`;
      const entity = await get(target, { accept });
      expect(entity.headers["etag"]).toBe(row?.["@odata.etag"]);
      expect(toEntity(entity)["@odata.etag"]).toBe(row?.["@odata.etag"]);
    }
  });
});

test("no metadata leaves count and next link, and nothing else", async () => {
  const target = property + query({ $count: true, $top: 2, $format: `${json};odata.metadata=none` });
  expect(controlOf(toCollection(await get(target)))).toEqual(["@odata.count", "@odata.nextLink"]);
  const root = await get("/reso/odata?$format=json;odata.metadata=none");
  expect(Object.keys(toEntity(root))).toEqual(["value"]);
});

test("a count is a string where every `Edm.Int64` is", async () => {
  const target = `${property}?$count=true&$top=0`;
  const count = Number((await get(`${property}/$count`)).text);
  const accept = `${json};IEEE754Compatible=true`;
  expect(toCollection(await get(target))["@odata.count"]).toBe(count);
  expect(toCollection(await get(target, { accept }))["@odata.count"]).toBe(String(count));
});

describe("`$metadata`", () => {
  test.each<[string, string | number]>([
    ["", "application/xml"],
    ["xml", "application/xml"],
    ["application/xml;charset=utf-8", "application/xml"],
    ["json", json],
    ["application/json", json],
    ["application/json;odata.metadata=minimal", json],
    ["application/xml;odata.metadata=full", 406],
    ["application/json;x=y", 406],
    ["atom", 406],
    ["application/xml;x", 400],
  ])("with `$format=%s` is %s", async ($format, expected) => {
    const options = $format === "" ? "" : query({ $format });
    expect(await contentType(`/reso/odata/$metadata${options}`, { accept: json })).toBe(expected);
  });

  test.each(["national", "state", "market"])("declares the same to %s in XML and in JSON", async (name) => {
    const xml = (await get("/reso/odata/$metadata", {}, name)).text;
    const document = toEntity(await get("/reso/odata/$metadata?$format=json", {}, name));
    expect(document["$Version"]).toBe("4.01");
    expect(document["$EntityContainer"]).toBe("org.reso.metadata.RESO");
    const schema = document["org.reso.metadata"] as Readonly<Record<string, Json>>;
    const active = ["Property", "Media", "Member", "Office", "Lookup"];
    expect(Object.keys(schema)).toEqual([...active, "RESO"]);
    expect(Object.keys(schema["RESO"] ?? {})).toEqual(["$Kind", ...active]);
    const names = active
      .flatMap((set) => Object.keys(schema[set] ?? {}))
      .filter((member) => !/^[$@]/.test(member));
    expect(names).toEqual(
      [...xml.matchAll(/<(?:Navigation)?Property Name="(\w+)"/g)].map(([, found]) => found),
    );
    expect(names.includes("Placekey")).toBe(name !== "state");
  });
});

describe("`Prefer`", () => {
  test.each<[string, string, string | undefined, boolean]>([
    ["omit-values=nulls", "", "omit-values=nulls", true],
    ['odata.omit-values="nulls"', "", "odata.omit-values=nulls", true],
    ["respond-async, omit-values=nulls", "", "omit-values=nulls", true],
    ["omit-values=nulls", "&$ignorenulls=true", "omit-values=nulls", true],
    ["omit-values=nulls", "&$ignorenulls=false", undefined, false],
    ["omit-values=defaults", "", undefined, false],
    ["omit-values", "", undefined, false],
  ])("`%s` on `%s` applies `%s`", async (prefer, options, applied, omits) => {
    const key = running.service.examples?.listingKey ?? "";
    for (const target of [`${property}?$top=3${options}`, `${property}('${key}')?${options.slice(1)}`]) {
      const reply = await get(target, { prefer });
      expect(reply.headers["preference-applied"]).toBe(applied);
      expect(reply.headers["vary"]).toMatch(/(?:^|, )accept, prefer,/);
      const records = target.includes("(") ? [toEntity(reply)] : toCollection(reply).value;
      for (const record of records) expect(Object.values(record).includes(null)).toBe(!omits);
    }
  });

  test("tells all that was applied, and the same as `$ignorenulls` is answered", async () => {
    const reply = await get(property, { prefer: "odata.maxpagesize=2, omit-values=nulls, return=minimal" });
    expect(reply.headers["preference-applied"]).toBe("odata.maxpagesize=2, omit-values=nulls");
    const same = await get(`${property}?$top=2&$ignorenulls=true`);
    expect(toCollection(reply).value).toEqual(toCollection(same).value);
  });
});
