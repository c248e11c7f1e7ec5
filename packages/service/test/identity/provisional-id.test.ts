import type { Row } from "@cadastre/odata";
import { isProvisionalId } from "@cadastre/store/property";
import fc from "fast-check";
import { expect, test } from "vitest";
import { provisionalIdRow } from "../../src/identity/provisional-id.ts";

const listing: Row = {
  ListingKey: "a",
  StreetNumber: "12",
  StreetDirPrefix: "N",
  StreetName: "Oak Hill",
  StreetSuffix: "St",
  UnitNumber: "2B",
  City: "Austin",
  StateOrProvince: "TX",
  PostalCode: "78701",
  Latitude: 30.2712,
  Longitude: -97.7411,
};
const [dataset, another] = ["d1", "d2"];
const idOf = (said: Row = {}, of = dataset) =>
  String(Object.values(provisionalIdRow(of, { ...listing, ...said }))[0]);

test.each<[string, Row]>([
  ["in another case", { StreetName: "OAK HILL", City: "austin" }],
  ["with punctuation and spaces", { StreetName: " Oak  Hill.", StreetDirPrefix: "N." }],
  ["written out", { StreetDirPrefix: "North", StreetSuffix: "Street" }],
  ["with a word before the unit", { UnitNumber: "Apt #2B" }],
  ["with a ZIP+4 code", { PostalCode: "78701-1234" }],
  ["in full-width digits", { StreetNumber: "１２" }],
  ["some metres away", { Latitude: 30.2713 }],
  ["of another listing, changed since", { ListingKey: "b", ListPrice: 1, StandardStatus: "Closed" }],
])("an address is the same property %s", (_, said) => {
  expect(idOf(said)).toBe(idOf());
  expect(idOf(said, another)).toBe(idOf());
});

test.each<[string, Row]>([
  ["next door", { StreetNumber: "14" }],
  ["on the other side of town", { StreetDirPrefix: "S" }],
  ["round the corner", { StreetSuffix: "Ave" }],
  ["in another unit", { UnitNumber: "2C" }],
  ["in no unit", { UnitNumber: null }],
  ["in another city", { City: "Waco" }],
  ["of the same writing kilometres away", { Latitude: 30.3 }],
])("a listing %s is of another property", (_, said) => {
  expect(idOf(said)).not.toBe(idOf());
});

test.each<[string, Row]>([
  ["a number", { StreetNumber: null }],
  ["a street", { StreetName: " " }],
  ["a latitude", { Latitude: null }],
  ["a place on earth", { Longitude: 181 }],
  ["a place that is a number", { Longitude: Number.NaN }],
])("a listing without %s is a property of its own", (_, said) => {
  expect(idOf(said)).toBe(idOf({ ...said, City: "Waco" }));
  expect(idOf(said)).not.toBe(idOf({ ...said, ListingKey: "b" }));
  expect(idOf(said)).not.toBe(idOf(said, another));
});

test("whatever the values, an id has its form and is the same again", () => {
  const value = fc.oneof(fc.string({ unit: "binary" }), fc.double(), fc.constant(null));
  const said = fc.record(Object.fromEntries(Object.keys(listing).map((name) => [name, value])));
  fc.assert(
    fc.property(said, (row) => {
      const id = idOf(row as Row);
      expect([isProvisionalId(id), idOf(row as Row)]).toEqual([true, id]);
    }),
    { numRuns: Number(process.env["CASES"] ?? 300) },
  );
});
