import { type RecordName, recordNames } from "@cadastre/reso";
import { expect, test } from "vitest";
import { sampleCatalog } from "../../src/catalog/index.ts";

const { fieldsOf } = sampleCatalog;

const fields = recordNames.flatMap((resource) => fieldsOf(resource).map((field) => ({ resource, ...field })));
const fieldOf = (resource: RecordName, name: string) => {
  const found = fields.find((field) => field.resource === resource && field.name === name);
  if (found === undefined) throw new RangeError(`no field ${resource}/${name}`);
  return found;
};

test("each field discloses fields that there are, others than itself, and each once", () => {
  const paths = new Set(fields.map(({ resource, name }) => `${resource}/${name}`));
  for (const { resource, name, reveals = [], mayReveal = [] } of fields) {
    const own = `${resource}/${name}`;
    const told = [...reveals, ...mayReveal].map((path) =>
      path.includes("/") ? path : `${resource}/${path}`,
    );
    expect(
      told.filter((path) => path === own || !paths.has(path)),
      own,
    ).toEqual([]);
    expect(told, own).toEqual([...new Set(told)]);
    // What is certain is a rule within one record.
    expect(
      reveals.filter((path) => path.includes("/")),
      own,
    ).toEqual([]);
  }
});

test("no two fields reveal each other: a mask of a part of one would mask it whole", () => {
  const reached = (resource: RecordName, name: string): readonly string[] =>
    (fieldOf(resource, name).reveals ?? []).flatMap((next) => [next, ...reached(resource, next)]);
  for (const { resource, name, reveals } of fields)
    if (reveals !== undefined) expect(reached(resource, name), `${resource}/${name}`).not.toContain(name);
});

test.each<readonly [RecordName, string, "reveals" | "mayReveal", string]>([
  ["Property", "UniversalPropertyId", "reveals", "ParcelNumber"],
  ["Property", "UniversalPropertyId", "reveals", "CountyOrParish"],
  ["Property", "UnparsedAddress", "reveals", "StreetName"],
  ["Property", "UnparsedAddress", "reveals", "PostalCode"],
  ["Property", "MapURL", "reveals", "Latitude"],
  ["Property", "ListAgentFullName", "reveals", "ListAgentLastName"],
  ["Member", "MemberFullName", "reveals", "MemberLastName"],
  ["PublicRecord", "StreetAddress", "reveals", "PostalCode"],
  ["Media", "LongDescription", "mayReveal", "Property/StreetName"],
  ["Media", "LongDescription", "mayReveal", "Property/PostalCode"],
  ["OpenHouse", "OpenHouseRemarks", "mayReveal", "Property/UnparsedAddress"],
  ["OpenHouse", "ListingId", "mayReveal", "Property/ListingId"],
  ["Property", "PublicRemarks", "mayReveal", "UnparsedAddress"],
  ["Property", "ListAgentEmail", "mayReveal", "Member/MemberEmail"],
  ["Member", "MemberEmail", "mayReveal", "Property/CoBuyerAgentEmail"],
  ["Office", "OfficePhone", "mayReveal", "Property/ListOfficePhone"],
  ["PublicRecord", "ParcelNumber", "mayReveal", "Property/UniversalPropertyId"],
])("%s/%s %s %s", (resource, name, how, other) => {
  expect(fieldOf(resource, name)[how]).toContain(other);
});

test("a local field says itself what it may mention", () => {
  const local = fields.filter(({ source, mayReveal }) => source !== null && mayReveal !== undefined);
  expect(local.filter(({ resource }) => resource === "Property").length).toBeGreaterThan(3);
});
