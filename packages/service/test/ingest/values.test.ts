import { readFileSync } from "node:fs";
import { restrict, visibleEntitySet } from "@cadastre/entitlement";
import { bindQuery, parseFilter } from "@cadastre/odata";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemScope } from "../../src/identity/system-scope.ts";
import { faultReasons } from "../../src/ingest/record-faults.ts";
import { roundingOf } from "../../src/ingest/rounding.ts";
import { checkRecords } from "../../src/replicate/check-records.ts";
import { bare, ingestText, openEmptyStore, source } from "../support/ingesting.ts";

const { entitySet } = sampleCatalog;

type Opened = Awaited<ReturnType<typeof openEmptyStore>>;
let opened: Opened;
beforeAll(async () => {
  opened = await openEmptyStore();
});
afterAll(() => opened.close());

/** A line of JSON whose members after the key are given as text, so that numbers keep their digits. */
const lineOf = (key: string, members: string) => JSON.stringify(bare(key)).replace(/\}$/, `,${members}}`);

/** Ingests and publishes one record, and gives the served one; or the faults. */
async function take(key: string, members: string, choice: Parameters<typeof ingestText>[3] = {}) {
  const ingested = await ingestText(opened.store, "Property", lineOf(key, members), choice);
  if (ingested.rejects.length > 0) return ingested.rejects.map(({ field, code }) => `${field} ${code}`);
  await opened.store.builds.publish(["Property"]);
  return { ...ingested, served: await served(key) };
}

async function served(key: string): Promise<Readonly<Record<string, unknown>>> {
  const set = visibleEntitySet(entitySet("Property"), systemScope(sampleCatalog));
  const query = bindQuery({ filter: parseFilter(`ListingKey eq '${key}'`), top: 1 }, set);
  const text = await opened.store.one(restrict(query, systemScope(sampleCatalog)), { nulls: false });
  return JSON.parse(Buffer.from(text ?? "null").toString()) as Readonly<Record<string, unknown>>;
}

describe("rejected is a value that is none of its property", () => {
  test.each<[string, string, string]>([
    ["a number as text", `"ListPrice":"12"`, "ListPrice wrong_form"],
    ["a number as text with an exponent", `"ListPrice":"1e3"`, "ListPrice wrong_form"],
    ["an integer as text", `"YearBuilt":"1999"`, "YearBuilt wrong_form"],
    ["a boolean as text", `"PoolPrivateYN":"true"`, "PoolPrivateYN wrong_form"],
    ["a coordinate as text", `"Latitude":"30.2","Longitude":-97.7`, "Latitude wrong_form"],
    ["a word for a number", `"ListPrice":"dear"`, "ListPrice wrong_type"],
    ["a number for text", `"City":7`, "City wrong_type"],
    ["a boolean for a number", `"ListPrice":true`, "ListPrice wrong_type"],
    [
      "a time in a list",
      `"StatusChangeTimestamp":["2024-01-15T08:30:00Z"]`,
      "StatusChangeTimestamp wrong_type",
    ],
    ["a number for a time", `"StatusChangeTimestamp":2024`, "StatusChangeTimestamp wrong_type"],
    ["more digits than Scale", `"ListPrice":12.345678`, "ListPrice too_precise"],
    [
      "one digit more than Scale, beyond a double",
      `"ListPrice":0.1000000000000000055`,
      "ListPrice too_precise",
    ],
    ["a number just above nothing", `"ListPrice":1e-400`, "ListPrice too_precise"],
    ["more digits than Precision", `"ListPrice":1e300`, "ListPrice too_large"],
    ["more than a double", `"ListPrice":1e400`, "ListPrice too_large"],
    ["an endless exponent", `"ListPrice":1e99999999999999999999`, "ListPrice too_large"],
    ["digits beyond a double", `"ListPrice":12345678901234567890.12`, "ListPrice too_large"],
    ["one digit too many on the left", `"ListPrice":1000000000000`, "ListPrice too_large"],
    ["more digits than JSON keeps", `"LotSizeAcres":123456789012.3456`, "LotSizeAcres too_precise"],
    ["a fraction for an integer", `"YearBuilt":1999.5`, "YearBuilt too_precise"],
    ["an integer beyond 64 bits", `"YearBuilt":9223372036854775808`, "YearBuilt too_large"],
    ["a place beyond the pole", `"Latitude":95,"Longitude":0`, "Latitude out_of_range"],
    ["a place beyond the antimeridian", `"Latitude":0,"Longitude":-180.5`, "Longitude out_of_range"],
    ["a rounded place beyond the pole", `"Latitude":90.000000005,"Longitude":0`, "Latitude out_of_range"],
    ["a date before the year 1", `"CloseDate":"0000-12-31"`, "CloseDate out_of_range"],
    ["a date after the year 9999", `"CloseDate":"10000-01-01"`, "CloseDate out_of_range"],
    ["a date that is none", `"CloseDate":"2023-02-29"`, "CloseDate wrong_type"],
    [
      "a time that its offset takes to the year 0",
      `"StatusChangeTimestamp":"0001-01-01T00:00:00+14:00"`,
      "StatusChangeTimestamp out_of_range",
    ],
    ["text of more code points than MaxLength", `"PostalCode":"${"🏠".repeat(11)}"`, "PostalCode too_long"],
    ["an item that is null", `"Appliances":["Dishwasher",null]`, "Appliances wrong_type"],
    [
      "an item that is not listed",
      `"Appliances":["Dishwasher","Samovar"]`,
      "Appliances unknown_lookup_value",
    ],
    ["an item that is a number", `"Appliances":[1]`, "Appliances wrong_type"],
  ])("%s", async (_, members, fault) => {
    expect(await take("rejected", members)).toEqual([fault]);
  });
});

describe("stored is the value itself", () => {
  test.each<[string, string, unknown]>([
    ["ListPrice", "999999999999.99", 999_999_999_999.99],
    ["ListPrice", "1e3", 1000],
    ["ListPrice", "12.50000000000000000000", 12.5],
    ["ListPrice", "-0.0", 0],
    ["LotSizeAcres", "12345678901.2345", 12_345_678_901.2345],
    ["YearBuilt", "2.0e3", 2000],
    ["PostalCode", JSON.stringify("🏠".repeat(10)), "🏠".repeat(10)],
    ["StatusChangeTimestamp", '"2024-01-15t10:30:00.5+02:00"', "2024-01-15T08:30:00.500Z"],
    ["CloseDate", '"0001-01-01"', "0001-01-01"],
    // Any value is one of a lookup of which the dictionary lists none.
    ["City", '"Nowhere"', "Nowhere"],
  ])("%s %s", async (name, text, value) => {
    expect(await take("stored", `"${name}":${text}`)).toMatchObject({
      noted: {},
      served: { [name]: value },
    });
  });

  test("an integer of 64 bits keeps its digits", async () => {
    for (const text of ["9223372036854775807", "9223372036854775000", "-9007199254740993"]) {
      await take("long", `"YearBuilt":${text}`);
      const set = visibleEntitySet(entitySet("Property"), systemScope(sampleCatalog));
      const query = bindQuery({ filter: parseFilter(`YearBuilt eq ${text}`), top: 1 }, set);
      const found = await opened.store.one(restrict(query, systemScope(sampleCatalog)), { nulls: false });
      expect(Buffer.from(found ?? "").toString()).toContain(`"YearBuilt":${text}`);
    }
  });
});

describe("rounded", () => {
  test.each<[string, string, unknown]>([
    ["Latitude", "30.267153123456", 30.26715312],
    ["Latitude", "-30.000000005", -30.00000001],
    ["Latitude", "30.00000000499999999999999", 30],
    ["Latitude", "90.0000000049", 90],
    ["Longitude", "-179.999999999999", -180],
    ["Longitude", "1e-400", 0],
    ["LivingArea", "1234.005", 1234.01],
    ["LivingArea", "1.0049999999999999999999", 1],
    // Cut off, so that no time is later than it was.
    ["StatusChangeTimestamp", '"2024-01-15T08:30:00.999999Z"', "2024-01-15T08:30:00.999Z"],
  ])("by default: %s %s", async (name, text, value) => {
    const taken = await take("rounded", `"${name}":${text}`);
    expect(taken).toMatchObject({ noted: { rounded: { [name]: 1 } }, served: { [name]: value } });
    expect(taken).toMatchObject({ notes: [{ line: 1, field: name, note: "rounded", count: 1 }] });
  });

  test("as the operator says", async () => {
    expect(await take("choice", `"ListPrice":12.345678`, { round: ["ListPrice"] })).toMatchObject({
      served: { ListPrice: 12.35 },
    });
    expect(await take("choice", `"Latitude":30.123456789`, { exact: ["Latitude"] })).toEqual([
      "Latitude too_precise",
    ]);
    await expect(take("choice", `"ListPrice":1`, { round: ["City"] })).rejects.toThrow(
      "Property has no number or timestamp `City` that could be rounded: correct --round or --exact",
    );
    await expect(
      take("choice", `"ListPrice":1`, { round: ["ListPrice"], exact: ["ListPrice"] }),
    ).rejects.toThrow("`ListPrice` is in both --round and --exact: remove it from one");
  });

  test("a file that was taken is read again for another choice", async () => {
    const line = lineOf("again", `"ListPrice":12.345678`);
    expect(await ingestText(opened.store, "Property", line)).toMatchObject({ rejected: 1, staged: 0 });
    expect(await ingestText(opened.store, "Property", line)).toMatchObject({ resumed: 1, staged: 0 });
    const chosen = { round: ["ListPrice"] };
    expect(await ingestText(opened.store, "Property", line, chosen)).toMatchObject({ resumed: 0, staged: 1 });
    expect(await ingestText(opened.store, "Property", line, chosen)).toMatchObject({ resumed: 1, staged: 0 });
  });

  test("values are told once a field and batch, with their number", async () => {
    const lines = [1, 2, 3].map((i) => lineOf(`many-${i}`, `"Latitude":30.12345678${i},"Longitude":-97.5`));
    const { notes, noted } = await ingestText(opened.store, "Property", lines.join("\n"));
    expect(noted).toEqual({ rounded: { Latitude: 3 } });
    expect(notes).toEqual([
      { line: 1, field: "Latitude", note: "rounded", count: 3, reason: expect.any(String) as string },
    ]);
  });
});

describe("Coordinates are computed here", () => {
  const own = `"Coordinates":{"type":"Point","coordinates":[-90,40]}`;

  test("whatever the source says of them", async () => {
    const taken = await take("own", `${own},"Latitude":30.5,"Longitude":-97.5`);
    expect(taken).toMatchObject({
      noted: { computed: { Coordinates: 1 } },
      notes: [],
      served: { Coordinates: { type: "Point", coordinates: [-97.5, 30.5] } },
    });
  });

  test.each([own, `${own},"Latitude":30.5`, `${own},"Longitude":-97.5,"Latitude":null`])(
    "and absent where a coordinate is: %s",
    async (members) => {
      expect((await take("half", members)) as object).toMatchObject({
        served: expect.not.objectContaining({ Coordinates: expect.anything() as unknown }) as unknown,
      });
    },
  );

  test("from rounded coordinates", async () => {
    expect(await take("fine", `"Latitude":30.123456789,"Longitude":-97.987654321`)).toMatchObject({
      served: { Coordinates: { type: "Point", coordinates: [-97.98765432, 30.12345679] } },
    });
  });
});

test("annotations of JSON lines are left out, as those of Common Format are", async () => {
  const members = `"@odata.id":"x","@odata.etag":"W/\\"1\\"","ListPrice@odata.type":"#Decimal","ListPrice":7`;
  expect(await take("annotated", members)).toMatchObject({ rejected: 0, served: { ListPrice: 7 } });
});

test("in CSV every value is text, and held to the same facets", async () => {
  const rows = [
    "ListingKey,ModificationTimestamp,OriginatingSystemName,ListPrice,YearBuilt,Latitude,Longitude,PoolPrivateYN",
    "csv-1,2024-01-15T08:30:00Z,Lone Star MLS,12.5,1999,30.267153123456,-97.5,true",
    "csv-2,2024-01-15T08:30:00Z,Lone Star MLS,12.345,1999,30,-97.5,true",
    "csv-3,2024-01-15T08:30:00Z,Lone Star MLS,0.1000000000000000055,1999,30,-97.5,true",
    "csv-4,2024-01-15T08:30:00Z,Lone Star MLS,1,1999,95,-97.5,true",
    "csv-5,2024-01-15T08:30:00Z,Lone Star MLS,dear,1999,,,",
  ];
  const taken = await ingestText(opened.store, "Property", rows.join("\n"), { format: "csv" });
  expect(taken).toMatchObject({ staged: 1, noted: { rounded: { Latitude: 1 } } });
  expect(taken.rejects.map(({ line, field, code }) => [line, field, code])).toEqual([
    [3, "ListPrice", "too_precise"],
    [4, "ListPrice", "too_precise"],
    [5, "Latitude", "out_of_range"],
    [6, "ListPrice", "wrong_type"],
  ]);
});

test("in Common Format numbers keep their digits", async () => {
  const context = `"@reso.context":"urn:reso:metadata:2.0:resource:property"`;
  const document = `{${context},"value":[${lineOf("common-1", `"ListPrice":0.1000000000000000055`)},${lineOf("common-2", `"ListPrice":1.5`)}]}`;
  const taken = await ingestText(opened.store, "Property", document, { format: "common" });
  expect(taken).toMatchObject({ staged: 1, rejects: [{ line: 1, field: "ListPrice", code: "too_precise" }] });
});

test("records of a feed are held to the same facets, and their Coordinates computed", async () => {
  const records = [
    bare("feed-1", {
      Latitude: 30.123456789,
      Longitude: -97.5,
      Coordinates: { type: "Point", coordinates: [1, 2] },
    }),
    bare("feed-2", { ListPrice: "12" }),
  ];
  const { taken, rejects, notes } = await checkRecords(records, {
    store: Object.assign(opened.store, { catalog: sampleCatalog }),
    crosswalk: { assigned: async () => new Map() },
    resource: "Property",
    source,
    rounding: roundingOf(sampleCatalog, "Property"),
  });
  expect(taken.map(({ record }) => record["Coordinates"])).toEqual([
    { type: "Point", coordinates: [-97.5, 30.12345679] },
  ]);
  expect(rejects).toMatchObject([{ key: "feed-2", field: "ListPrice", code: "wrong_form" }]);
  expect(notes).toEqual([
    { key: "feed-1", field: "Latitude", note: "rounded", count: 1 },
    { key: "feed-1", field: "Coordinates", note: "computed", count: 1 },
  ]);
});

test("the README tells every code", () => {
  const page = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  for (const code of Object.keys(faultReasons)) expect(page).toContain(`\`${code}\``);
});
