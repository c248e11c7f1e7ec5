import { expect, test } from "vitest";
import { toCsv } from "../src/answer/csv.ts";

const csvOf = (records: readonly Readonly<Record<string, unknown>>[], ...columns: readonly string[]) =>
  csvOfText(records.map((record) => JSON.stringify(record)).join(), columns);
const csvOfText = (records: string, columns: readonly string[]) =>
  [...toCsv(Buffer.from(records), columns)].join("");

test.each<[unknown, string]>([
  [null, ""],
  ["", '""'],
  ["Austin", "Austin"],
  ["a,b", '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ["a\r\nb", '"a\r\nb"'],
  ["été 家 😀", "été 家 😀"],
  ["\u2028", "\u2028"],
  [-1.5, "-1.5"],
  [true, "true"],
  [["a", "b"], '"[""a"",""b""]"'],
  [[], '"[]"'],
  [{ type: "Point", coordinates: [1, 2] }, '"{""type"":""Point"",""coordinates"":[1,2]}"'],
  ["=1+1", "'=1+1"],
  ["+1 512", "'+1 512"],
  ["-2+3", "'-2+3"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["\t=1", "'\t=1"],
  ['=HYPERLINK("a","b")', `"'=HYPERLINK(""a"",""b"")"`],
  ["'=1", "'=1"],
  ["a=1", "a=1"],
])("the value %j is the cell %j", (value, cell) => {
  expect(csvOf([{ a: value, b: 1 }], "a", "b")).toBe(`a,b\r\n${cell},1\r\n`);
});

test("numbers keep their digits", () => {
  const records = '{"a":9007199254740993,"b":1.10},{"b":0.1000000000000000055}';
  expect(csvOfText(records, ["a", "b"])).toBe("a,b\r\n9007199254740993,1.10\r\n,0.1000000000000000055\r\n");
});

test("a missing member is an empty cell, and one that is no column is left out", () => {
  expect(csvOf([{ c: 1 }, {}, { b: 2 }], "a", "b")).toBe("a,b\r\n,\r\n,\r\n,2\r\n");
  expect(csvOf([], "a", "b")).toBe("a,b\r\n");
});
