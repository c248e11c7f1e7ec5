import type { EntityType, PrimitiveType } from "@cadastre/odata";
import fc from "fast-check";
import { expect, test } from "vitest";
import { minimalJson } from "../src/odata/format.ts";
import { withoutExponent } from "../src/odata/numeral.ts";
import { type RecordForm, writeRecords } from "../src/odata/record-form.ts";
import { readRecords } from "../src/odata/record-members.ts";

const fields: readonly (readonly [name: string, type: PrimitiveType, collection: boolean])[] = [
  ["Key", "Edm.String", false],
  ["Text", "Edm.String", false],
  ["Texts", "Edm.String", true],
  ["Small", "Edm.Int32", false],
  ["Large", "Edm.Int64", false],
  ["Larges", "Edm.Int64", true],
  ["Exact", "Edm.Decimal", false],
  ["Exacts", "Edm.Decimal", true],
  ["Float", "Edm.Double", false],
  ["Place", "Edm.GeographyPoint", false],
  ["Truth", "Edm.Boolean", false],
];

const type: EntityType = {
  name: "Thing",
  key: ["Key"],
  properties: new Map(
    fields.map(([name, of, collection]) => [name, { name, type: of, collection, nullable: true }]),
  ),
};

const form = (format: Partial<RecordForm["format"]>, hidden = ""): RecordForm => ({
  format: { ...minimalJson, ...format },
  type,
  typeName: "Test.Thing",
  resource: "https://feed.example/Things",
  isShown: (name) => name !== hidden,
  tagOf: () => '"tag"',
});

const numeral = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.tuple(fc.integer(), fc.nat()).map(([whole, fraction]) => `${whole}.${fraction}`),
);
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", '\\"', "{},[]:", '1,"2"', "1,2"),
);

/** JSON text of each value: numbers keep their digits. */
const value: Readonly<Record<string, fc.Arbitrary<string>>> = {
  "Edm.String": text.map((one) => JSON.stringify(one)),
  "Edm.Int32": fc.integer().map(String),
  "Edm.Int64": numeral.map((one) => one.split(".", 1)[0] ?? ""),
  "Edm.Decimal": numeral,
  "Edm.Double": fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.constant('"INF"'),
  ),
  "Edm.GeographyPoint": fc
    .tuple(fc.integer(), fc.integer())
    .map((coordinates) => JSON.stringify({ type: "Point", coordinates })),
  "Edm.Boolean": fc.boolean().map(String),
};

const orNull = (of: fc.Arbitrary<string>) => fc.oneof({ weight: 4, arbitrary: of }, fc.constant("null"));

/** Texts of a record's members, by name; `Key` is always there. */
const record: fc.Arbitrary<ReadonlyMap<string, string>> = fc
  .tuple(
    ...fields.map(([name, of, collection]) => {
      const one = value[of] ?? fc.constant("null");
      const some = collection ? fc.array(orNull(one)).map((all) => `[${all.join(",")}]`) : orNull(one);
      const present = name === "Key" ? one : fc.option(some, { nil: undefined });
      return present.map((found): readonly [string, string][] =>
        found === undefined ? [] : [[name, found]],
      );
    }),
  )
  .map((members) => new Map(members.flat()));

const written = (members: ReadonlyMap<string, string>) =>
  `{${[...members].map(([name, found]) => `"${name}":${found}`).join(",")}}`;
const records = fc.array(record, { maxLength: 4 });

test("records are taken apart without a loss", () => {
  fc.assert(
    fc.property(records, (all) => {
      const texts = all.map(written);
      expect([...readRecords(texts.join(","))]).toEqual(
        all.map((members, i) => ({
          text: texts[i],
          members: [...members].map(([name, found]) => ({ name, value: found })),
        })),
      );
    }),
    { examples: [[[new Map()]], [[new Map(), new Map([["Key", '"k"']])]]] },
  );
});

test("numbers that a double may not hold become strings of the same digits, and nothing else changes", async () => {
  const exact: ReadonlySet<string> = new Set(["Large", "Larges", "Exact", "Exacts"]);
  const expected = (name: string, found: string) => {
    if (!exact.has(name) || found === "null") return found;
    if (!found.startsWith("[")) return `"${found}"`;
    const items = found === "[]" ? [] : found.slice(1, -1).split(",");
    return `[${items.map((item) => (item === "null" ? item : `"${item}"`)).join(",")}]`;
  };
  await fc.assert(
    fc.asyncProperty(records, async (all) => {
      const strings = all.map((members) =>
        written(new Map([...members].map(([name, found]) => [name, expected(name, found)]))),
      );
      expect(await writeRecords(all.map(written).join(","), form({ ieee754: true }))).toBe(strings.join(","));
    }),
  );
});

test("a decimal that becomes a string loses its exponent, a double keeps it", async () => {
  const stored = '{"Exact":-1.5e-7,"Exacts":[1e+21,null,2],"Float":1e-7}';
  expect(await writeRecords(stored, form({ ieee754: true }))).toBe(
    '{"Exact":"-0.00000015","Exacts":["1000000000000000000000",null,"2"],"Float":1e-7}',
  );
});

test("full metadata adds to a record, and takes away what was not asked for alone", async () => {
  await fc.assert(
    fc.asyncProperty(records, fc.boolean(), async (all, asksKey) => {
      const hidden = asksKey ? "" : "Key";
      const full = await writeRecords(all.map(written).join(","), form({ metadata: "full" }, hidden));
      const parsed = JSON.parse(`[${full}]`) as readonly Readonly<Record<string, unknown>>[];
      expect(parsed).toHaveLength(all.length);
      for (const [i, members] of all.entries()) {
        const own = Object.entries(parsed[i] ?? {});
        const shown = [...members].filter(([name]) => name !== hidden);
        expect(own.filter(([name]) => !name.includes("@"))).toEqual(
          shown.map(([name, found]) => [name, JSON.parse(found) as unknown]),
        );
        const id = String(parsed[i]?.["@odata.id"]).slice(
          "https://feed.example/Things('".length,
          -"')".length,
        );
        const key = decodeURIComponent(id).replaceAll("''", "'");
        expect(JSON.stringify(key)).toBe(members.get("Key"));
      }
    }),
  );
});

test("other requests get their turn while many records are written", async () => {
  let turns = 0;
  let turn = setImmediate(function next() {
    turns += 1;
    turn = setImmediate(next);
  });
  await writeRecords(Array.from({ length: 100 }, () => '{"Key":"k"}').join(","), form({ metadata: "full" }));
  clearImmediate(turn);
  expect(turns).toBeGreaterThanOrEqual(3);
});

test.each([
  ["1", "1"],
  ["-0.5", "-0.5"],
  ["1e21", "1000000000000000000000"],
  ["-1.25e+2", "-125"],
  ["1.2345e2", "123.45"],
  ["1.5e-7", "0.00000015"],
  ["-9E-1", "-0.9"],
  ["12e-1", "1.2"],
  ["1e0", "1"],
])("%s without an exponent is %s", (given, expected) => {
  expect(withoutExponent(given)).toBe(expected);
});
