import { expect, test } from "vitest";
import type { Entry } from "../../src/ingest/entry.ts";
import { jsonEntry, parsedText } from "../../src/ingest/json-entry.ts";

const recordOf = (entry: Entry) => ("record" in entry ? entry.record : {});

test("a record that is as it was parsed has its text, spaces and escapes included", () => {
  const text = '{ "ListingKey" : "\\u0041",\n"ListPrice": 1.50e2, "Appliances": [] }';
  const record = recordOf(jsonEntry(1, text));
  expect(record).toEqual({ ListingKey: "A", ListPrice: 150, Appliances: [] });
  expect(parsedText(record)).toBe(text);
  // A copy, such as one with a rounded number or a computed field.
  expect(parsedText({ ...record })).toBeUndefined();
});

test.each([
  ["annotations", '{"@odata.id":"Property(1)","ListingKey":"A"}'],
  ["a member twice", '{"ListingKey":"A","ListingKey":"B"}'],
  ["no object", '["A"]'],
  ["no JSON", "{"],
])("a text with %s is that of no record", (_, text) => {
  expect(parsedText(recordOf(jsonEntry(1, text)))).toBeUndefined();
});
