import { expect, test } from "vitest";
import { sampleCatalog, sampleSystems } from "../src/catalog/index.ts";
import { groupBy, properties } from "./support/market.ts";

const { fieldsOf } = sampleCatalog;

const bySystem = groupBy(properties, "OriginatingSystemName");

/** Part of a system's listings that have a field. */
function coverage(system: string, field: string): number {
  const records = bySystem.get(system) ?? [];
  return records.filter((record) => record[field] !== undefined).length / records.length;
}

test("a field is filled more often by one system than by another", () => {
  const spreads = fieldsOf("Property")
    .filter(({ source }) => source === null)
    .map(({ name }) => {
      const rates = sampleSystems.map((system) => coverage(system.name, name));
      return Math.max(...rates) - Math.min(...rates);
    });
  expect(spreads.filter((spread) => spread > 0.25).length).toBeGreaterThan(150);
});

test("each system leaves some fields of the dictionary empty that another fills", () => {
  const fields = fieldsOf("Property").filter(({ source }) => source === null);
  for (const { name: system } of sampleSystems) {
    const missing = fields.filter(
      ({ name }) =>
        coverage(system, name) === 0 && sampleSystems.some((other) => coverage(other.name, name) > 0),
    );
    expect(missing.length, system).toBeGreaterThan(40);
  }
});

test("a local field is filled by its own system only", () => {
  for (const { name, source } of fieldsOf("Property")) {
    if (source === null) continue;
    for (const system of sampleSystems) {
      if (system.id !== source) expect(coverage(system.name, name), name).toBe(0);
    }
  }
});

test("most fields of the catalog are filled somewhere", () => {
  const filled = new Set(properties.flatMap((record) => Object.keys(record)));
  expect(filled.size).toBeGreaterThan(800);
});
