import type { ResourceGrant } from "@cadastre/entitlement";
import { expect, test } from "vitest";
import { covers, type ScopeMembers } from "../../src/exports/pinned.ts";

const dataset_id = "9f0c6c0e-5a1b-4d57-8a35-3f8e1c2b7d10";

const granting = (Property: ResourceGrant, more: Partial<ScopeMembers> = {}): ScopeMembers => ({
  products: ["listing"],
  channels: { api: true, odata: true, file_delivery: true },
  regions: [{ kind: "state", value: "TX" }],
  datasets: [{ dataset_id, resources: { Property } }],
  ...more,
});
const before = granting({ fields: ["City", "ListPrice"] });
const mask = { kind: "round_down", to: 1000 } as never;

test.each<[string, ScopeMembers]>([
  ["the same", before],
  ["more fields", granting({ fields: ["City", "ListPrice", "PostalCode"] })],
  ["more rows", granting({ fields: ["City", "ListPrice"], private: true, contact: true })],
  ["more regions", { ...before, regions: [...before.regions, { kind: "zip", value: "78701" }] }],
  ["all regions", { ...before, regions: [{ kind: "national", value: "US" }] }],
  ["more products", { ...before, products: ["property", "listing"] }],
  ["more datasets", { ...before, datasets: [{ dataset_id: "0", resources: {} }, ...before.datasets] }],
  ["less channels of other kinds", { ...before, channels: { ...before.channels, odata: false } }],
])("a scope is covered by %s", (_, now) => {
  expect(covers(now, before)).toBe(true);
});

test.each<[string, ScopeMembers, ScopeMembers?]>([
  ["less fields", granting({ fields: ["City"] })],
  ["masked fields", granting({ fields: ["City", "ListPrice"], masks: { ListPrice: mask } })],
  ["all fields but contacts, of which it may name some", granting({ fields: "*" })],
  ["some fields of all", before, granting({ fields: "*" })],
  ["less rows", before, granting({ fields: ["City", "ListPrice"], private: true })],
  ["less contacts", before, granting({ fields: ["City", "ListPrice"], contact: true })],
  ["other regions", { ...before, regions: [{ kind: "state", value: "OR" }] }],
  ["less products", { ...before, products: ["property"] }],
  ["no dataset", { ...before, datasets: [] }],
  ["other resources", { ...before, datasets: [{ dataset_id, resources: { Media: { fields: "*" } } }] }],
  ["a scope without files", { ...before, channels: { ...before.channels, file_delivery: false } }],
])("a scope is not covered by %s", (_, now, was = before) => {
  expect(covers(now, was)).toBe(false);
});

test("a field that was masked is covered by the same mask, and by none", () => {
  const masked = granting({ fields: ["City"], masks: { City: mask } });
  expect(covers(masked, masked)).toBe(true);
  expect(covers(granting({ fields: ["City"] }), masked)).toBe(true);
});
