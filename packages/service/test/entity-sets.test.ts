import { ownResourceNames } from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query, toCollection, toEntity, walk } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

const { resource } = sampleCatalog;
const { names: lookupNames, values: lookupValues } = sampleCatalog.lookups;

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "200" });
});
afterAll(() => running.stop());

const get = (target: string, name = "national") =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key(name) });
const rows = async (set: string, options: Parameters<typeof query>[0], name?: string) =>
  toCollection(await get(`/reso/odata/${set}${query(options)}`, name)).value;
const firstOf = async (set: string, ...fields: readonly string[]) => {
  const [row] = await rows(set, {
    $top: 1,
    $filter: fields.map((field) => `${field} ne null`).join(" and "),
  });
  return (field: string) => String(row?.[field]).replaceAll("'", "''");
};

describe.each(["Property", "Media", "Member", "Office", "Lookup"] as const)("%s", (set) => {
  const { key, fields } = resource(set);

  test("is paged on its own timestamp and key, each record once", async () => {
    const select = query({ $select: `${key},ModificationTimestamp`, $count: true });
    const pages = await walk(running.service.baseUrl, `/reso/odata/${set}${select}`, {
      "x-api-key": running.key("national"),
      prefer: "maxpagesize=1000",
    });
    const met = pages.flatMap(({ value }) => value);
    const order = met.map((row) => `${String(row["ModificationTimestamp"])} ${String(row[key])}`);
    expect(met).toHaveLength(pages[0]?.["@odata.count"] ?? -1);
    expect(new Set(met.map((row) => row[key])).size).toBe(met.length);
    expect(order).toEqual(order.toSorted());
  });

  test("gives a record by its key, with every field of its catalog", async () => {
    const value = await firstOf(set, key);
    const reply = await get(`/reso/odata/${set}('${value(key)}')`);
    expect(reply.status).toBe(200);
    const names = Object.keys(toEntity(reply)).filter((name) => !name.startsWith("@"));
    expect(names.toSorted()).toEqual(
      fields
        .map(({ name }) => name)
        .filter((name) => names.includes(name))
        .toSorted(),
    );
    expect(names).toHaveLength(fields.length);
  });
});

test.each<[string, string]>([
  ["Media", "ResourceRecordKey"],
  ["Member", "OfficeKey"],
  ["Member", "MemberMlsId"],
  ["Office", "OfficeMlsId"],
  ["Lookup", "LookupName"],
])("%s is looked up by %s", async (set, field) => {
  const value = await firstOf(set, field);
  const found = await rows(set, { $filter: `${field} eq '${value(field)}'`, $top: 1000 });
  expect(found.length).toBeGreaterThan(0);
  for (const row of found) expect(String(row[field]).replaceAll("'", "''")).toBe(value(field));
});

test.each(ownResourceNames)("%s is in exports alone: no document of OData names it", async (name) => {
  for (const address of ["", "/$metadata", "/$metadata?$format=json"])
    expect((await get(`/reso/odata${address}`)).text).not.toContain(name);
  // The answer repeats the name that was asked for, and tells no other.
  const unknown = (await get("/reso/odata/Nope")).text.replace("Nope", name);
  for (const address of ["", "/$count", "('x')"]) {
    const { status, text } = await get(`/reso/odata/${name}${address}`);
    expect([status, text]).toEqual([404, unknown]);
  }
});

describe("Lookup", () => {
  test("holds the values of a standard field, as records carry them", async () => {
    const found = await rows("Lookup", { $filter: "LookupName eq 'StandardStatus'" });
    expect(found.map((row) => String(row["LookupValue"])).toSorted()).toEqual(
      lookupValues("StandardStatus")
        .map(({ value }) => value)
        .toSorted(),
    );
    expect(found.every((row) => row["LookupValue"] === row["StandardLookupValue"])).toBe(true);
  });

  test("holds a local lookup for who sees its dataset alone", async () => {
    const local = lookupNames.find((name) => name.startsWith("EVG_")) ?? "";
    const options = { $filter: `LookupName eq '${local}'` };
    expect(await rows("Lookup", options)).toHaveLength(lookupValues(local).length);
    expect(await rows("Lookup", options, "market")).toEqual([]);
  });

  test("holds no value of a field that is hidden", async () => {
    const options = { $filter: "LookupName eq 'View'" };
    expect((await rows("Lookup", options)).length).toBeGreaterThan(0);
    expect(await rows("Lookup", options, "state")).toEqual([]);
  });
});
