import { describe, expect, test } from "vitest";
import { sampleCatalog, sampleSystems } from "../../src/catalog/index.ts";

const { names: lookupNames } = sampleCatalog.lookups;

describe.each(sampleSystems)(
  "the local catalog of $name",
  ({ prefix, fields: { Property: fields = [] } = {}, lookups = {} }) => {
    test("lists its fields by name, so that an addition is one line of a diff", () => {
      const names = fields.map(({ name }) => name.toLowerCase());
      expect(names).toEqual([...names].sort());
    });

    test("defines only lookups that its fields use and that carry its prefix", () => {
      const strays = Object.keys(lookups).filter(
        (name) => !name.startsWith(prefix) || !lookupNames.includes(name),
      );
      expect(strays).toEqual([]);
    });
  },
);

describe("originating systems", () => {
  test.each(["id", "name", "prefix", "datasetId"] as const)("no two share a %s", (member) => {
    expect(new Set(sampleSystems.map((system) => system[member])).size).toBe(5);
  });

  test.each(sampleSystems)("$name has a UUID, a prefix of three letters and states", (system) => {
    expect(system.datasetId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(system.prefix).toMatch(/^[A-Z]{3}_$/);
    expect(system.states.join()).toMatch(/^[A-Z]{2}(,[A-Z]{2})*$/);
  });
});
