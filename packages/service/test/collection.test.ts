import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, type Reply, toCollection, toEntity, toError, walk } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
const property = "/reso/odata/Property";

beforeAll(async () => {
  running = await run();
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const headers = (name = "national") => ({ "x-api-key": running.key(name) });
const get = (target: string, name?: string) => ask(base, target, headers(name));
const rows = async (options: Parameters<typeof query>[0], name?: string) =>
  toCollection(await get(property + query(options), name)).value;

describe("the service document and the metadata", () => {
  test.each(["/reso/odata", "/reso/odata/"])("%s lists the active sets", async (target) => {
    const reply = await get(target);
    expect(reply.headers["content-type"]).toBe("application/json;odata.metadata=minimal");
    expect(toCollection(reply)).toEqual({
      "@odata.context": `${base}/reso/odata/$metadata`,
      value: ["Property", "Media", "Member", "Office", "Lookup"].map((name) => ({
        name,
        kind: "EntitySet",
        url: name,
      })),
    });
  });

  test("the metadata declares what the key may see, and nothing else", async () => {
    const [all, fewer] = [await get("/reso/odata/$metadata"), await get("/reso/odata/$metadata", "state")];
    expect(all.headers["content-type"]).toBe("application/xml");
    const names = ({ text }: Reply) =>
      [...(text.split("</EntityType>", 1)[0] ?? "").matchAll(/<Property Name="(\w+)"/g)].map(
        ([, name]) => name,
      );
    expect(names(all)).toHaveLength(946);
    expect(names(fewer)).toContain("ListPrice");
    expect(names(fewer)).not.toContain("Placekey");
    expect(names(fewer).length).toBeLessThan(60);
    expect(all.text).toContain('Version="4.0"');
    expect([...all.text.matchAll(/<EntitySet /g)]).toHaveLength(5);
  });

  test("the metadata is XML whatever is accepted", async () => {
    const reply = await ask(base, "/reso/odata/%24metadata", { ...headers(), accept: "application/json" });
    expect(reply.headers["content-type"]).toBe("application/xml");
  });
});

describe("a page", () => {
  test("has 100 records, a context, and a next link while there are more", async () => {
    const page = toCollection(await get(property));
    expect(page.value).toHaveLength(100);
    expect(page["@odata.context"]).toBe(`${base}/reso/odata/$metadata#Property`);
    expect(page["@odata.nextLink"]).toMatch(new RegExp(`^${base}${property}\\?\\$skiptoken=[\\w-]+$`));
    expect(page["@odata.count"]).toBeUndefined();
    expect(Object.keys(page.value[0] ?? {})).toHaveLength(946);
  });

  test("holds the selected fields, nulls too, in the order of the model", async () => {
    const page = toCollection(
      await get(property + query({ $select: "ListingKey,CloseDate,City", $top: 600 })),
    );
    expect(page["@odata.context"]).toBe(`${base}/reso/odata/$metadata#Property(City,CloseDate,ListingKey)`);
    expect(page.value.every((row) => Object.keys(row).join() === "City,CloseDate,ListingKey")).toBe(true);
    expect(page.value.some((row) => row["CloseDate"] === null)).toBe(true);
    expect(page["@odata.nextLink"]).toBeUndefined();
  });

  test("leaves nulls out where it is asked to", async () => {
    const found = await rows({ $select: "ListingKey,CloseDate,Appliances", $ignorenulls: true, $top: 600 });
    expect(found.some((row) => !("CloseDate" in row))).toBe(true);
    expect(found.some((row) => Object.values(row).includes(null))).toBe(false);
    expect(found.every((row) => Array.isArray(row["Appliances"]))).toBe(true);
  });

  test("is empty for `$top=0`, with the count and no link", async () => {
    const page = toCollection(await get(property + query({ $top: 0, $count: true })));
    expect(page).toEqual({
      "@odata.context": `${base}/reso/odata/$metadata#Property`,
      "@odata.count": 600,
      value: [],
    });
  });

  test("is empty where nothing is found", async () => {
    expect(await rows({ $filter: "ListPrice lt 0" })).toEqual([]);
  });

  test.each([
    ["$top", "top"],
    ["$TOP", "Top"],
  ])("takes %s and %s for the same option", async (dollar, bare) => {
    expect(await rows({ [dollar]: 3, $select: "ListingKey" })).toEqual(
      await rows({ [bare]: 3, select: "ListingKey" }),
    );
  });

  test.each(["%20", "+", "%09", "+%20"])("takes blanks around a value, %s", async (blank) => {
    const options = (around: string) =>
      Object.entries({
        filter: "City%20eq%20'Austin'",
        select: "ListingKey",
        orderby: "ListPrice%20desc",
        top: "5",
      })
        .map(([name, value]) => `$${name}=${around}${value}${around}`)
        .join("&");
    const plain = toCollection(await get(`${property}?${options("")}`));
    expect(plain.value).not.toEqual([]);
    expect(toCollection(await get(`${property}?${options(blank)}`)).value).toEqual(plain.value);
  });

  test("ignores custom options", async () => {
    expect(await rows({ $top: 1, _: 17, "x-y": "z" })).toHaveLength(1);
  });

  test.each([
    "/reso/odata/Property/?$top=2",
    "/reso/odata/Property?$top=2&&",
    "/reso/odata/Property?%24top=2",
    "/reso/odata/Property?$filter=City+ne+null&$top=2",
    "http://other.example/reso/odata/Property?$top=2",
  ])("is found at %s", async (target) => {
    expect(toCollection(await get(target)).value).toHaveLength(2);
  });
});

describe("filter, order and skip", () => {
  test.each([
    ["StandardStatus eq 'Active' and BedroomsTotal ge 3"],
    ["City in ('San Antonio','Miami','Seattle') and not contains(City,'Miami')"],
    ["startswith(PostalCode,'7') or ListPrice gt 500000.5"],
    ["CloseDate eq null and ModificationTimestamp ge 2000-01-01T00:00:00Z"],
  ])("counts as many records of %s as its pages hold", async ($filter) => {
    const options = { $filter, $select: "ListingKey", $count: true, $top: 70 };
    const pages = await walk(base, property + query(options), headers());
    const keys = pages.flatMap(({ value }) => value.map((row) => row["ListingKey"]));
    expect(keys.length).toBeGreaterThan(0);
    expect(new Set(pages.map((page) => page["@odata.count"]))).toEqual(new Set([keys.length]));
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("homes without a place come first in an order by distance, and the documented filter leaves them out", async () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/odata.md"), "utf8");
    const documented = /^GET (\/reso\/odata\/Property\?.*geo\.distance.*)$/m.exec(page)?.[1] ?? "";
    const [, options = ""] = documented.split("?");
    const values = new URLSearchParams(options);
    const placesOf = async (asked: URLSearchParams) =>
      toCollection(await get(`${property}?${String(asked)}`)).value.map((row) => row["Coordinates"]);
    const nearest = await placesOf(values);
    expect(nearest).toHaveLength(10);
    expect(nearest).not.toContain(null);
    values.delete("$filter");
    expect((await placesOf(values))[0]).toBeNull();
  });

  test("the default order is the time of modification, then the key", async () => {
    const found = await rows({ $select: "ListingKey,ModificationTimestamp", $top: 600 });
    const order = found.map((row) => `${String(row["ModificationTimestamp"])} ${String(row["ListingKey"])}`);
    expect(order).toEqual(order.toSorted());
  });

  test("`$skip` leaves out as many, and the next link goes on without it", async () => {
    const all = await rows({ $select: "ListingKey", $top: 600 });
    const pages = await walk(
      base,
      property + query({ $skip: 590, $top: 4, $select: "ListingKey" }),
      headers(),
    );
    expect(pages.flatMap(({ value }) => value)).toEqual(all.slice(590));
    expect(pages[0]?.["@odata.nextLink"]).not.toMatch(/skip=/);
  });

  test.each([
    ["ListPrice"],
    ["LotSizeAcres desc"],
    ["City asc"],
    ["City desc,ListPrice"],
    ["CloseDate desc,BedroomsTotal desc"],
    ["ListingKey desc"],
    ["StoriesTotal"],
    ["BuilderName desc"],
  ])("a walk ordered by %s meets every key once", async ($orderby) => {
    const options = { $orderby, $select: "ListingKey", $top: 37 };
    const pages = await walk(base, property + query(options), headers());
    const keys = pages.flatMap(({ value }) => value.map((row) => row["ListingKey"]));
    expect(new Set(keys).size).toBe(600);
    expect(keys).toHaveLength(600);
  });
});

describe("`$ignorecase`", () => {
  const found = (options: Parameters<typeof query>[0]) =>
    rows({ ...options, $select: "ListingKey,City,Appliances", $top: 600 });

  test.each([
    ["City eq 'San Antonio'", "City eq 'sAN aNTONIO'"],
    ["City ne 'Miami'", "City ne 'MIAMI'"],
    ["City in ('Seattle','Miami')", "City in ('SEATTLE','miami')"],
    ["startswith(City,'San')", "startswith(City,'sAN')"],
    ["endswith(City,'io') or contains(City,'iam')", "endswith(City,'IO') or contains(City,'IAM')"],
    ["Appliances/any(a:a eq 'Dishwasher')", "Appliances/any(a:a eq 'dishWASHER')"],
    ["'Dishwasher' in Appliances", "'DISHWASHER' in Appliances"],
  ])("finds what %s finds, by %s", async (exact, otherwise) => {
    const expected = await found({ $filter: exact });
    expect(expected.length).toBeGreaterThan(0);
    expect(await found({ $filter: otherwise, $ignorecase: true })).toEqual(expected);
    expect(await found({ $filter: otherwise, IGNORECASE: "TRUE" })).toEqual(expected);
    expect(await found({ $filter: otherwise, $ignorecase: false })).not.toEqual(expected);
    expect(await found({ $filter: otherwise })).not.toEqual(expected);
  });

  test("lasts for the whole walk", async () => {
    const options = { $filter: "City eq 'SAN ANTONIO'", $ignorecase: true, $select: "ListingKey", $top: 3 };
    const pages = await walk(base, property + query(options), headers());
    const keys = pages.flatMap(({ value }) => value.map((row) => row["ListingKey"]));
    const expected = await rows({ $filter: "City eq 'San Antonio'", $select: "ListingKey", $top: 600 });
    expect(keys).toEqual(expected.map((row) => row["ListingKey"]));
    expect(pages.length).toBeGreaterThan(1);
  });

  test("has no part in the order", async () => {
    const options = { $orderby: "City,ListingKey", $select: "City", $top: 600 };
    expect(await rows({ ...options, $ignorecase: true })).toEqual(await rows(options));
  });
});

describe("placekey", () => {
  const placekey = () => running.service.examples?.placekey ?? "";

  test("gives the listings of the property in several systems", async () => {
    const found = await rows({ placekey: placekey(), $select: "Placekey,OriginatingSystemName" });
    expect(new Set(found.map((row) => row["Placekey"]))).toEqual(new Set([placekey()]));
    expect(new Set(found.map((row) => row["OriginatingSystemName"])).size).toBeGreaterThan(1);
  });

  test("composes with filter, select, count and paging", async () => {
    const all = await rows({ placekey: placekey(), $select: "OriginatingSystemName" });
    const [first] = all;
    const system = String(first?.["OriginatingSystemName"]);
    const page = toCollection(
      await get(
        property +
          query({ placekey: placekey(), $filter: `OriginatingSystemName eq '${system}'`, $count: true }),
      ),
    );
    expect(page["@odata.count"]).toBe(all.filter((row) => row["OriginatingSystemName"] === system).length);
    const pages = await walk(base, property + query({ placekey: placekey(), $top: 1 }), headers());
    expect(pages).toHaveLength(all.length);
  });

  test.each([
    "",
    "x",
    "@",
    "a@b@c",
    "zzw-222@5vg-82n",
    "ZZW-222@5VG-82N-KZZ",
    "@5vl-82n-kzz",
    "@5v0-82n-kzz",
  ])("`%s` is none", async (text) => {
    const reply = await get(property + query({ placekey: text }));
    expect(reply.status).toBe(400);
    expect(toError(reply)).toMatchObject({ code: "invalid_option", target: "placekey" });
  });
});

describe("one entity", () => {
  test("is the record of the collection, with its own context", async () => {
    const [row] = await rows({ $top: 1 });
    const key = String(row?.["ListingKey"]);
    for (const predicate of [`'${key}'`, `%27${key}%27`, `ListingKey='${key}'`]) {
      const entity = toEntity(await get(`${property}(${predicate})`));
      expect(entity).toEqual({ "@odata.context": `${base}/reso/odata/$metadata#Property/$entity`, ...row });
    }
  });

  test("takes `$select`, `$ignorenulls` and `$format`", async () => {
    const key = running.service.examples?.listingKey ?? "";
    const options = { $select: "ListingKey,CloseDate", $ignorenulls: true, $format: "json" };
    expect(toEntity(await get(`${property}('${key}')${query(options)}`))).toEqual({
      "@odata.context": `${base}/reso/odata/$metadata#Property(CloseDate,ListingKey)/$entity`,
      ListingKey: key,
    });
  });

  test("`HEAD` answers as `GET` does, without the body", async () => {
    const key = running.service.examples?.listingKey ?? "";
    const [got, head] = [
      await get(`${property}('${key}')`),
      await ask(base, `${property}('${key}')`, headers(), "HEAD"),
    ];
    expect(head.status).toBe(200);
    expect(head.text).toBe("");
    expect(head.headers["content-length"]).toBe(String(Buffer.byteLength(got.text)));
  });
});
