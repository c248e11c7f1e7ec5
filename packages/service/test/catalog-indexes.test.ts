import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { datasetProperty, resourceRules } from "@cadastre/entitlement";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { expect, test } from "vitest";
import { scopeOptionsOf, storedResources } from "../src/catalog.ts";
import { sqliteDatabases } from "../src/data/sqlite-databases.ts";
import { reading } from "./support/release.ts";

/** In exports alone: nobody asks for a page of them. */
const exported = ["MediaAsset", "PublicRecord"];

const queried = storedResources(sampleCatalog).filter(({ entitySet: { name } }) => !exported.includes(name));

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
  expect(scopeOptionsOf(sampleCatalog).datasets?.size).toBeLessThanOrEqual(64);
});

test("a count by status, price and bedrooms reads an index alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "cadastre-counts-"));
  const database = join(folder, "listings.sqlite");
  const { openListings } = sqliteDatabases({ database, registry: "" });
  await (await openListings({ threads: 0, migration: {} }, true)).close();
  const plan = reading(database, (open) =>
    open
      .prepare(
        `explain query plan select count(*) from Property
        where DatasetId = 1 and StandardStatus = 'Active' and ListPrice >= 300000 and BedroomsTotal >= 3`,
      )
      .all(),
  );
  rmSync(folder, { recursive: true });
  expect(JSON.stringify(plan)).toContain(
    "USING COVERING INDEX Property_DatasetId_StandardStatus_ListPrice_Bed",
  );
});
