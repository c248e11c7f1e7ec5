import type { Scope } from "@cadastre/entitlement";
import type { PrimitiveType, StructuralProperty } from "@cadastre/odata";
import type { StoredResource } from "@cadastre/store";
import { entitySetOf, property } from "@cadastre/store/testing";
import { scopeFor } from "../test/support/scope.ts";

type Field = StructuralProperty & { readonly of: (i: number) => unknown };

const field = (
  name: string,
  type: PrimitiveType,
  of: Field["of"],
  facets: Partial<StructuralProperty> = {},
): Field => ({ ...property(name, type, facets), of });

const several = (count: number, prefix: string, fieldOf: (name: string, nth: number) => Field) =>
  Array.from({ length: count }, (_, nth) => fieldOf(`${prefix}${nth}`, nth));

/** A number from 0 to `below` that has little to do with its neighbours. */
const mix = (i: number, nth: number, below: number): number =>
  (Math.imul(i + 1, 2_654_435_761 + nth * 40_503) >>> 0) % below;

const words =
  "granite oak garden view quiet corner lot renovated kitchen, deck pool “charming” near transit park".split(
    " ",
  );
const remark = (i: number) =>
  Array.from({ length: 40 }, (_, nth) => words[mix(i, nth, words.length)])
    .join(" ")
    .replace("oak ", 'oak"\n');

const day = (i: number, nth: number) =>
  new Date(Date.UTC(2024, 0, 1) + mix(i, nth, 700) * 86_400_000).toISOString();

/** Sixty fields of a listing, each of which every record has. */
const fields: readonly Field[] = [
  field("ListingKey", "Edm.String", (i) => `LSM_${String(i).padStart(9, "0")}`, { nullable: false }),
  field("ModificationTimestamp", "Edm.DateTimeOffset", (i) => day(i, 1), { nullable: false }),
  field("OriginatingSystemName", "Edm.String", () => "Lone Star MLS"),
  field("PublicRemarks", "Edm.String", remark),
  ...several(18, "Text", (name, nth) => field(name, "Edm.String", (i) => words[mix(i, nth, words.length)])),
  ...several(12, "Count", (name, nth) => field(name, "Edm.Int64", (i) => mix(i, nth, 5000))),
  ...several(8, "Amount", (name, nth) =>
    field(name, "Edm.Decimal", (i) => mix(i, nth, 90_000_000) / 100, { precision: 14, scale: 2 }),
  ),
  ...several(6, "Flag", (name, nth) => field(name, "Edm.Boolean", (i) => mix(i, nth, 2) === 1)),
  ...several(4, "At", (name, nth) => field(name, "Edm.DateTimeOffset", (i) => day(i, nth))),
  ...several(4, "On", (name, nth) => field(name, "Edm.Date", (i) => day(i, nth).slice(0, 10))),
  ...several(4, "List", (name, nth) =>
    field(name, "Edm.String", (i) => [words[mix(i, nth, 7)], words[mix(i, nth + 1, 7)]], {
      collection: true,
      nullable: false,
    }),
  ),
];

export const fieldNames = fields.map(({ name }) => name);

export const recordOf = (i: number): Readonly<Record<string, unknown>> =>
  Object.fromEntries(fields.map(({ name, of }) => [name, of(i)]));

export const listings = entitySetOf("Listing", fields);

export const stored: StoredResource = {
  entitySet: listings,
  columns: ["ModificationTimestamp"],
  indexes: [["ModificationTimestamp", "ListingKey"]],
};

export const datasetId = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";

/** Everything. */
export const scope: Scope = scopeFor(
  { datasets: [{ dataset_id: datasetId, resources: { [listings.name]: { fields: "*" } } }] },
  { entitySets: [listings], rules: { [listings.name]: { by: "dataset" } } },
);

/** Declared type in SQLite of a field, in a table of its own. */
export const declarations = fields.map(
  ({ name, type }) =>
    `"${name}" ${type === "Edm.Int64" || type === "Edm.Boolean" ? "integer" : type === "Edm.Decimal" ? "real" : "text"}`,
);
