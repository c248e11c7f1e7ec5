import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BoundQuery,
  bindQuery,
  compileCount,
  compilePage,
  type EntitySet,
  identifier,
  parseFilter,
  postgres,
  type StructuralProperty,
  sqlite,
  tableMapping,
} from "../../src/index.ts";
import { render } from "../../src/run/index.ts";
import { listing } from "../support/listing.ts";

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** What a text may try: to end a literal or a name, to begin a comment, to be a placeholder. */
const attempt = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "'",
        "''",
        '"',
        '"; drop table "property"; --',
        "' or 1=1 --",
        "?",
        "$1",
        ":a",
        "@p",
        "\\",
        "/*",
        "*/",
        "--",
        "%",
        "_",
        "$$",
        "E'",
        "😀",
        "\u2019",
        "\u0001",
        "\n",
      ),
      fc.string({ unit: "grapheme", maxLength: 3 }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(""))
  // The empty text tries nothing, and what begins with it is every text.
  .filter((text) => text !== "" && !text.includes("\0"));

/** Filters with a text in every place where a text may stand. */
const filters: readonly ((text: string) => string)[] = [
  (text) => `City eq ${text}`,
  (text) => `${text} lt City`,
  (text) => `not (City in ('a',${text}))`,
  (text) => `contains(City,${text}) or startswith(City,${text}) and endswith(concat(City,${text}),${text})`,
  (text) => `Appliances/any(a:a eq ${text})`,
  (text) => `Appliances/all(a:contains(a,${text}) or a eq City)`,
  (text) => `Appliances/$count($filter=$this ne ${text}) gt 1`,
  (text) => `case(City eq ${text}:${text},true:City) gt ${text}`,
  (text) => `${text} in Appliances`,
  (text) => `StandardStatus has ${text}`,
  (text) => `cast(concat(City,${text}),Edm.Int32) eq 1`,
  (text) => `length(concat(${text},City)) gt indexof(City,${text})`,
];

const pageOf = (filter: string, after: readonly unknown[] | null = null): BoundQuery =>
  bindQuery({ filter: parseFilter(filter), top: 5, after }, listing);

describe.each([sqlite, postgres])("on $name", (dialect) => {
  const mapping = tableMapping("property");

  test("the statement of a hostile literal is that of a harmless one", () => {
    fc.assert(
      fc.property(fc.constantFrom(...filters), attempt, (filter, text) => {
        const [given, harmless] = [pageOf(filter(quoted(text))), pageOf(filter("'x'"))];
        expect(compilePage(given, dialect, mapping).text).toBe(compilePage(harmless, dialect, mapping).text);
        expect(compileCount(given, dialect, mapping).text).toBe(
          compileCount(harmless, dialect, mapping).text,
        );
      }),
      { numRuns: 1000 },
    );
  });

  test("the values of a token never enter the statement", () => {
    fc.assert(
      fc.property(attempt, (text) => {
        const after = (value: string) => compilePage(pageOf("true", [value]), dialect, mapping).text;
        expect(after(text)).toBe(after("x"));
      }),
      { numRuns: 500 },
    );
  });

  test("the name of a variable never enters the statement", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,20}$/), (name) => {
        fc.pre(!["City", "not", "any", "all", "null", "true", "false"].includes(name));
        const over = (variable: string) => pageOf(`Appliances/any(${variable}:${variable} eq 'x')`);
        expect(compilePage(over(name), dialect, mapping).text).toBe(
          compilePage(over("v"), dialect, mapping).text,
        );
      }),
      { numRuns: 500 },
    );
  });

  test("a name of the model is one quoted name, whatever is in it", () => {
    fc.assert(
      fc.property(attempt, (name) => {
        const property: StructuralProperty = { name, type: "Edm.String", collection: false, nullable: true };
        const entitySet: EntitySet = {
          name,
          type: { name: "Odd", key: [name], properties: new Map([[name, property]]) },
        };
        const { text } = compilePage(bindQuery({ top: 1 }, entitySet), dialect, tableMapping(name));
        const plain = compilePage(
          bindQuery({ top: 1 }, { ...entitySet, type: odd }),
          dialect,
          tableMapping("x"),
        ).text;
        expect(text).toBe(plain.replaceAll('"x"', () => render(identifier(name), String).text));
      }),
      { numRuns: 500 },
    );
  });
});

const odd: EntitySet["type"] = {
  name: "Odd",
  key: ["x"],
  properties: new Map([["x", { name: "x", type: "Edm.String", collection: false, nullable: true }]]),
};
