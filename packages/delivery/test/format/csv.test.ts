import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CsvEncoder } from "../../src/format/csv.ts";

const encode = (columns: readonly string[], lines: string): string => {
  const csv = new CsvEncoder(columns);
  return csv.header().toString() + csv.encode(Buffer.from(lines)).toString();
};

const cases: readonly (readonly [json: string, cell: string])[] = [
  ['"plain"', "plain"],
  ['""', '""'],
  ['"a,b"', '"a,b"'],
  [String.raw`"a\"b"`, '"a""b"'],
  [String.raw`"a\nb"`, '"a\nb"'],
  [String.raw`"a\r\nb"`, '"a\r\nb"'],
  [String.raw`"a\tb"`, "a\tb"],
  [String.raw`"a\\b"`, "a\\b"],
  [String.raw`"a\/b\b\f"`, "a/b\b\f"],
  [String.raw`"a\u002cb"`, '"a,b"'],
  [String.raw`"a\u0022b"`, '"a""b"'],
  [String.raw`"\u00e9\uD83C\uDFE0\u0001"`, "é🏠\u0001"],
  ['"é🏠"', "é🏠"],
  ['" lead"', " lead"],
  ["12.50", "12.50"],
  ["-1e-7", "-1e-7"],
  ["true", "true"],
  ["null", ""],
  ["[]", "[]"],
  ['["a"]', '"[""a""]"'],
  ['["a","b"]', '"[""a"",""b""]"'],
  ["[1,2]", '"[1,2]"'],
  [String.raw`{"a":{"b":"}\""},"c":[1]}`, String.raw`"{""a"":{""b"":""}\""""},""c"":[1]}"`],
];

test.each(cases)("%s becomes %s", (json, cell) => {
  expect(encode(["a", "b"], `{"a":1,"b":${json}}\n`)).toBe(`a,b\r\n1,${cell}\r\n`);
});

describe("a record", () => {
  test("has an empty cell for each member that it does not have", () => {
    const lines = ["{}", '{"b":1}', '{"a":1,"d":2}', '{"d":"x"}'].map((line) => `${line}\n`).join("");
    expect(encode(["a", "b", "c", "d"], lines)).toBe("a,b,c,d\r\n,,,\r\n,1,,\r\n1,,,2\r\n,,,x\r\n");
  });

  test("may have its members in any order", () => {
    expect(encode(["a", "b", "c"], '{"c":1,"a":2}\n{"b":3}\n')).toBe("a,b,c\r\n2,,1\r\n,3,\r\n");
  });

  test.each([
    ["of a member that is no column", '{"z":1}\n'],
    ["that is no object", "[1]\n"],
    ["that does not end", '{"a":1\n'],
  ])("%s is refused", (_, line) => {
    expect(() => encode(["a", "b"], line)).toThrow(expect.objectContaining({ code: "invalid_record" }));
  });
});

test("names are quoted as values are", () => {
  expect(encode(['a"b', "c,d"], "")).toBe('"a""b","c,d"\r\n');
});

const value = fc.oneof(
  fc.constant(null),
  fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
  fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "\\", "\t", "é", "🏠", "a", " ") }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(fc.string(), { maxLength: 3 }),
  fc.record({ "a b": fc.string(), c: fc.array(fc.integer()) }),
);

test("another reader gets the values back", () => {
  fc.assert(
    fc.property(fc.array(fc.array(value, { minLength: 4, maxLength: 4 })), (rows) => {
      const columns = ["a", "b", "c", "d"];
      const lines = rows.map((row) => {
        const members = columns.flatMap((name, i) => (row[i] === null ? [] : [[name, row[i]]]));
        return `${JSON.stringify(Object.fromEntries(members))}\n`;
      });
      const read = parse(encode(columns, lines.join("")), {
        record_delimiter: "\r\n",
        // Tells the empty text from nothing.
        cast: (cell, { quoting }) => (cell === "" && !quoting ? null : cell),
      }) as unknown as (string | null)[][];
      const cellOf = (json: unknown) =>
        json === null || typeof json === "string" ? json : JSON.stringify(json);
      expect(read).toEqual([columns, ...rows.map((row) => row.map(cellOf))]);
    }),
    { numRuns: 500 },
  );
});
