import { resourceNames } from "@cadastre/reso";
import { describe, expect, test } from "vitest";
import { sampleCatalog, sampleSystems } from "../../src/catalog/index.ts";

const { fieldsOf } = sampleCatalog;
const { names: lookupNames, values: lookupValues } = sampleCatalog.lookups;

const lookupFields = resourceNames
  .flatMap(fieldsOf)
  .flatMap((field) => (field.lookup === undefined ? [] : [{ ...field, lookup: field.lookup }]));

const localLookups = lookupNames.filter((name) => name.includes("_"));

test.each([
  ["StandardStatus", "Active Under Contract", "ActiveUnderContract"],
  ["Appliances", "ENERGY STAR Qualified Dryer", "EnergyStarQualifiedDryer"],
  ["PropertyType", "Residential Lease", "ResidentialLease"],
  ["GSM_MinimumLeaseTerm", "1 Week", "OneWeek"],
])("%s holds `%s`, in the legacy form `%s`", (name, value, legacyODataValue) => {
  const found = lookupValues(name).find((each) => each.legacyODataValue === legacyODataValue);
  expect(found).toEqual({ value, legacyODataValue });
});

test("there are 139 lookups with standard values, 24 without, and 80 local ones", () => {
  const standard = lookupNames.filter((name) => !localLookups.includes(name));
  expect(standard.filter((name) => lookupValues(name).length > 0)).toHaveLength(139);
  expect(standard.filter((name) => lookupValues(name).length === 0)).toHaveLength(24);
  expect(localLookups).toHaveLength(80);
});

test("the lookups are exactly those that fields name, each once", () => {
  expect(lookupNames).toEqual([...new Set(lookupFields.map(({ lookup }) => lookup))].sort());
});

test("the lookup of a field has values, unless it is open", () => {
  const empty = lookupFields.filter(({ lookup }) => lookupValues(lookup).length === 0);
  expect(empty.filter(({ lookupStatus }) => lookupStatus !== "Open")).toEqual([]);
});

test("every lookup field is text and has a status; no other field has one", () => {
  expect(lookupFields.filter(({ type, lookupStatus }) => type !== "Edm.String" || !lookupStatus)).toEqual([]);
  const others = resourceNames.flatMap(fieldsOf).filter(({ lookup }) => lookup === undefined);
  expect(others.filter(({ lookupStatus }) => lookupStatus !== undefined)).toEqual([]);
});

test("every value fits the length of every field that takes it", () => {
  const tooLong = lookupFields.flatMap(({ name, lookup, maxLength = 0 }) =>
    lookupValues(lookup)
      .filter(({ value }) => Array.from(value).length > maxLength)
      .map(({ value }) => `${name} ${value}`),
  );
  expect(tooLong).toEqual([]);
});

const values = lookupNames.flatMap((lookup) => lookupValues(lookup).map((value) => ({ lookup, ...value })));

test.each(["value", "legacyODataValue"] as const)("no lookup has the same %s twice", (form) => {
  const forms = values.map((value) => `${value.lookup}: ${value[form]}`);
  expect(forms.filter((each, index) => forms.indexOf(each) !== index)).toEqual([]);
});

test("no value is empty or has spaces around it", () => {
  expect(values.filter(({ value }) => !/^\S(.*\S)?$/.test(value))).toEqual([]);
});

describe("local lookups", () => {
  test("each is used by fields of the originating system whose prefix it has, and by no other", () => {
    const systemOf = (lookup: string) => sampleSystems.find(({ prefix }) => lookup.startsWith(prefix))?.id;
    const local = lookupFields.filter(({ lookup }) => localLookups.includes(lookup));
    expect(local.filter(({ lookup, source }) => source === null || systemOf(lookup) !== source)).toEqual([]);
  });

  test("each has 3 to 12 values", () => {
    const sizes = localLookups.map((name) => ({ name, size: lookupValues(name).length }));
    expect(sizes.filter(({ size }) => size < 3 || size > 12)).toEqual([]);
  });

  test("the legacy form of each value is an identifier", () => {
    const local = values.filter(({ lookup }) => localLookups.includes(lookup));
    expect(local.filter(({ legacyODataValue }) => !/^[A-Za-z]\w*$/.test(legacyODataValue))).toEqual([]);
  });
});

test("a lookup that no field names is refused", () => {
  expect(() => lookupValues("Colour")).toThrow("unknown lookup `Colour`");
});
