import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { toCollection } from "../support/ask.ts";
import { declares } from "./declares.ts";
import { lookupFields } from "./sampling.ts";
import { serve } from "./served.ts";
import { summarize } from "./summary.ts";

/*
 * The checks of RESO Data Dictionary 2.0 certification on `$metadata`, the rows of every set, and the set of lookups. What the
 * dictionary says is read from its data, not from the model that `$metadata` is made of.
 */

summarize("RESO Data Dictionary 2.0");

type Facts = {
  readonly name: string;
  readonly type: string;
  readonly collection?: true;
  readonly maxLength?: number;
  readonly lookup?: string;
  readonly lookupStatus?: string;
  readonly synonyms?: readonly string[];
};

const readJson = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../reso/data/${file}`, import.meta.url), "utf8")) as unknown;

/** Source: RESO Data Dictionary 2.0, Field. The set is made by the service, so no data of the dictionary's describes it. */
const fieldsOfField: readonly Facts[] = [
  { name: "FieldKey", type: "Edm.String" },
  { name: "FieldName", type: "Edm.String" },
  { name: "ModificationTimestamp", type: "Edm.DateTimeOffset" },
  { name: "ResourceName", type: "Edm.String" },
];

const dictionaryOf = (set: string) =>
  set === "Field"
    ? fieldsOfField
    : (readJson(`resources/${set}.json`) as { readonly fields: readonly Facts[] }).fields;
const listed = readJson("lookups.json") as Readonly<Record<string, readonly (readonly string[])[]>>;

/** Of each type of the dictionary, the types that certification accepts. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  "Edm.String": ["Edm.String"],
  "Edm.Date": ["Edm.Date"],
  "Edm.Decimal": ["Edm.Decimal", "Edm.Double"],
  "Edm.Int64": ["Edm.Int16", "Edm.Int32", "Edm.Int64"],
  "Edm.Boolean": ["Edm.Boolean"],
  "Edm.DateTimeOffset": ["Edm.DateTimeOffset"],
};

const { sets, get, rowsOf, stop } = await serve();
afterAll(stop);

describe.each(sets)("$name", (set) => {
  const { name, properties, rows } = set;
  const dictionary = dictionaryOf(name);
  const standard = dictionary.flatMap((facts) => {
    const declared = properties.get(facts.name);
    return declared === undefined ? [] : [{ ...facts, declared }];
  });

  test("most fields of the dictionary are there", () => {
    expect(standard.length).toBeGreaterThan(dictionary.length / 2);
  });

  test("each has a type that the dictionary allows", () => {
    const wrong = standard.filter(
      ({ type, collection = false, declared }) =>
        !accepted[type]?.includes(declared.type) || declared.collection !== collection,
    );
    expect(wrong).toEqual([]);
  });

  test("each lookup field names its lookup, and no other field names one", () => {
    const wrong = standard.filter(({ lookup, declared }) => declared.lookupName !== lookup);
    expect(wrong).toEqual([]);
    for (const { type } of lookupFields(set)) expect(type).toBe("Edm.String");
  });

  test("none is called by a synonym", () => {
    const synonyms = new Set(dictionary.flatMap((facts) => facts.synonyms ?? []));
    expect([...properties.keys()].filter((field) => synonyms.has(field))).toEqual([]);
  });

  test("sizes are those that the dictionary suggests, and whole numbers have none", () => {
    const wrong = standard.filter(({ maxLength, declared }) => declared.maxLength !== maxLength);
    expect(wrong).toEqual([]);
    const whole = [...properties.values()].filter(({ type }) => type.startsWith("Edm.Int"));
    for (const { maxLength, precision, scale } of whole)
      expect([maxLength, precision, scale]).toEqual([undefined, undefined, undefined]);
  });

  test("rows have what is declared and nothing else", () => {
    const faults = new Set<string>();
    for (const row of rows) {
      expect(Object.keys(row)).toEqual([...properties.keys()]);
      for (const property of properties.values()) {
        const fault = declares(property, row[property.name]);
        if (fault !== undefined) faults.add(`${property.name}: ${fault}`);
      }
    }
    expect([...faults]).toEqual([]);
  });

  test("a locked lookup has the dictionary's values alone", () => {
    const locked = standard.filter(({ lookupStatus }) => lookupStatus?.startsWith("Locked"));
    for (const { name: field, lookup = "" } of locked) {
      const values = new Set<unknown>(listed[lookup]?.map(([value]) => value));
      const strange = rows.flatMap((row) => row[field] ?? []).filter((value) => !values.has(value));
      expect(strange, field).toEqual([]);
    }
  });

  test("replicating from the latest change back meets every row", async () => {
    const key = set.key[0] ?? "";
    const met = new Set<unknown>();
    for (let before = new Date(Date.now() + 86_400_000).toISOString(); ; ) {
      const found = await rowsOf(
        `/${name}?$top=1000&$select=${key},ModificationTimestamp&$filter=ModificationTimestamp lt ${before}&$orderby=ModificationTimestamp desc`,
      );
      const fresh = found.filter((row) => !met.has(row[key]));
      const last = fresh.at(-1)?.["ModificationTimestamp"];
      if (typeof last !== "string") break;
      for (const row of fresh) met.add(row[key]);
      // Rows of the last instant may go on behind the page: ask for it once more.
      before = new Date(Date.parse(last) + 1).toISOString();
    }
    expect(met.size).toBe(rows.length);
  });
});

const lookups = sets.find(({ name }) => name === "Lookup");

describe("Lookup", () => {
  const required = ["LookupKey", "LookupName", "LookupValue", "ModificationTimestamp"];

  test("is there to its end, by `$skip` until a page is empty", async () => {
    const { "@odata.count": count } = toCollection(await get("/Lookup?$count=true&$top=1"));
    let [skip, length] = [0, 1];
    for (; length > 0; skip += length) {
      const reply = await get(`/Lookup?$top=1000&$skip=${skip}`);
      expect(reply.status).toBe(200);
      length = toCollection(reply).value.length;
    }
    expect(skip).toBe(count);
  });

  test.each(required)("%s is never null", (field) => {
    expect(lookups?.rows.filter((row) => row[field] === null)).toEqual([]);
  });

  test("has every lookup that a field with values names", () => {
    const known = new Set(lookups?.rows.map((row) => row["LookupName"]));
    const named = sets.flatMap((set) =>
      lookupFields(set).filter(({ name }) =>
        set.rows.some((row) => (Array.isArray(row[name]) ? row[name].length > 0 : row[name] !== null)),
      ),
    );
    expect(named.filter(({ lookupName }) => !known.has(lookupName))).toEqual([]);
  });
});
