import { fieldsOf, type RecordName, recordNames } from "@cadastre/reso";
import { expect, test } from "vitest";

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

test.each<readonly [RecordName, string, string]>([
  ["Property", "UniversalPropertyId", "ParcelNumber"],
  ["Property", "UniversalPropertyId", "CountyOrParish"],
  ["Property", "UnparsedAddress", "StreetName"],
  ["Property", "UnparsedAddress", "PostalCode"],
  ["Property", "MapURL", "Latitude"],
  ["Property", "ListAgentFullName", "ListAgentLastName"],
  ["Member", "MemberFullName", "MemberLastName"],
  ["PublicRecord", "StreetAddress", "PostalCode"],
])("%s/%s reveals %s", (resource, name, revealed) => {
  expect(fieldOf(resource, name).reveals).toContain(revealed);
});

test.each<readonly [RecordName, string, string]>([
  ["Media", "LongDescription", "Property/StreetName"],
  ["Media", "LongDescription", "Property/PostalCode"],
  ["OpenHouse", "OpenHouseRemarks", "Property/UnparsedAddress"],
  ["OpenHouse", "ListingId", "Property/ListingId"],
  ["Property", "PublicRemarks", "UnparsedAddress"],
  ["Property", "ListAgentEmail", "Member/MemberEmail"],
  ["Member", "MemberEmail", "Property/CoBuyerAgentEmail"],
  ["Office", "OfficePhone", "Property/ListOfficePhone"],
  ["PublicRecord", "ParcelNumber", "Property/UniversalPropertyId"],
])("%s/%s may mention %s", (resource, name, mentioned) => {
  expect(fieldOf(resource, name).mayReveal).toContain(mentioned);
});

test("a local field says itself what it may mention", () => {
  const local = fields.filter(({ source, mayReveal }) => source !== null && mayReveal !== undefined);
  expect(local.filter(({ resource }) => resource === "Property").length).toBeGreaterThan(3);
});
