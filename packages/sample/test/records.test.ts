import { describe, expect, test } from "vitest";
import { sampleCatalog } from "../src/catalog/index.ts";
import { sampleResources } from "../src/market.ts";
import { faultOf } from "./support/field-check.ts";
import { market, properties } from "./support/market.ts";

const { fieldsOf } = sampleCatalog;

describe.each(sampleResources)("%s records", (resource) => {
  const fields = new Map(fieldsOf(resource).map((field) => [field.name, field]));
  const order = new Map([...fields.keys()].map((name, k) => [name, k]));
  const records = [...market.rows(resource)].map(({ record }) => record);

  test("hold catalog fields only, each of the right type, scale, length and lookup", () => {
    const faults = new Set<string>();
    for (const record of records) {
      for (const [name, value] of Object.entries(record)) {
        const field = fields.get(name);
        const fault = field === undefined ? "is not in the catalog" : faultOf(field, value);
        if (fault !== undefined) faults.add(`${name} ${fault}: ${JSON.stringify(value)}`);
      }
    }
    expect([...faults]).toEqual([]);
  });

  test("name their fields in catalog order", () => {
    for (const record of records.slice(0, 300)) {
      const places = Object.keys(record).map((name) => order.get(name) ?? -1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }
  });

  test("always have the fields that are never null", () => {
    const needed = [...fields.values()].filter(({ nullable, collection }) => !nullable && !collection);
    for (const record of records) {
      for (const { name } of needed) expect(record[name], name).toBeDefined();
    }
  });
});

test("a listing has between 80 and 260 populated fields", () => {
  const counts = properties.map((record) => Object.keys(record).length);
  expect(Math.min(...counts)).toBeGreaterThan(80);
  expect(Math.max(...counts)).toBeLessThan(260);
});
