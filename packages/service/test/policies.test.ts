import { resourceRules } from "@cadastre/entitlement";
import type { ResourceName } from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { describe, expect, test } from "vitest";

const { entitySet } = sampleCatalog;
const { values: lookupValues } = sampleCatalog.lookups;

const fieldsOf = (resource: ResourceName) => [...entitySet(resource).type.properties.keys()];

describe.each(["Member", "Office"] as const)("the contact fields of %s", (resource) => {
  const contact = resourceRules[resource]?.contact ?? [];

  test("are fields of it, each named once", () => {
    expect(contact.filter((name) => !fieldsOf(resource).includes(name))).toEqual([]);
    expect(new Set(contact).size).toBe(contact.length);
  });

  test("are all that sound like it", () => {
    const sounding = fieldsOf(resource).filter((name) =>
      /Phone|Fax|Pager|VoiceMail|Email|Address|PostalCode|City|CareOf|SocialMedia/.test(name),
    );
    expect(sounding.filter((name) => !contact.includes(name))).toEqual([]);
  });
});

test("what says whether a picture is private is a list of the dictionary, and so are the open values", () => {
  const { property = "", open = [] } = resourceRules["Media"]?.privacy ?? {};
  expect(entitySet("Media").type.properties.get(property)).toMatchObject({ collection: true });
  const values = lookupValues("Permission").flatMap(({ value, legacyODataValue }) => [
    value,
    legacyODataValue,
  ]);
  expect(open.filter((value) => !values.includes(value))).toEqual([]);
  expect(values.filter((value) => !open.includes(value))).toEqual([
    "Agent Only",
    "AgentOnly",
    "Firm Only",
    "FirmOnly",
    "Office Only",
    "OfficeOnly",
    "Private",
    "Private",
  ]);
});
