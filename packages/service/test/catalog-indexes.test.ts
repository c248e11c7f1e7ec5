import { datasetProperty, resourceRules } from "@cadastre/entitlement";
import { expect, test } from "vitest";
import { scopeOptions, storedResources } from "../src/catalog.ts";

/** In exports alone: nobody asks for a page of them. */
const exported = ["MediaAsset", "PublicRecord"];

const queried = storedResources.filter(({ entitySet: { name } }) => !exported.includes(name));

test.each(
  queried
    .filter(({ entitySet: { name } }) => resourceRules[name]?.by !== "lookup")
    .map((resource) => [resource.entitySet.name, resource] as const),
)(
  "the indexes of %s have the rows of each dataset apart, so that hidden rows are not read",
  (_, resource) => {
    const { entitySet, indexes, folded = [], follows } = resource;
    for (const columns of [...indexes, ...folded])
      expect(columns.indexOf(datasetProperty.name), columns.join()).toBe(columns[0] === follows?.key ? 1 : 0);
    expect(indexes).toContainEqual([datasetProperty.name, ...entitySet.type.key]);
  },
);

test("pages are merged from each of the datasets, however many a customer is granted", () => {
  expect(scopeOptions.datasets?.size).toBeLessThanOrEqual(64);
});
