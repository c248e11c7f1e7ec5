import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type RecordForm, typesOf, withoutExponent } from "../../src/json/record-form.ts";
import { RecordWriter, writeRecords } from "../../src/json/record-writer.ts";
import type { EntityType, PrimitiveType } from "../../src/model/types.ts";

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

const ieee754: RecordForm = { ieee754: true, types: typesOf(type) };

const full = (showsKey: boolean, numbersAreText = false): RecordForm => ({
  ieee754: numbersAreText,
  types: typesOf(type),
  control: {
    typeName: "Test.Thing",
    resource: "https://feed.example/Things",
    keys: ["Key"],
    navigation: ["Rooms", "Owner"],
    hidden: showsKey ? [] : ["Key"],
    tagged: ["type", "root"],
  },
});

const inForm = (records: string, form: RecordForm): string =>
  writeRecords(Buffer.from(records), form).toString();

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

test("numbers that a double may not hold become strings of the same digits, and nothing else changes", () => {
  const exact: ReadonlySet<string> = new Set(["Large", "Larges", "Exact", "Exacts"]);
  const expected = (name: string, found: string) => {
    if (!exact.has(name) || found === "null") return found;
    if (!found.startsWith("[")) return `"${found}"`;
    const items = found === "[]" ? [] : found.slice(1, -1).split(",");
    return `[${items.map((item) => (item === "null" ? item : `"${item}"`)).join(",")}]`;
  };
  fc.assert(
    fc.property(records, (all) => {
      const strings = all.map((members) =>
        written(new Map([...members].map(([name, found]) => [name, expected(name, found)]))),
      );
      expect(inForm(all.map(written).join(","), ieee754)).toBe(strings.join(","));
    }),
  );
});

test("a decimal that becomes a string loses its exponent, a double keeps it", () => {
  const stored = '{"Exact":-1.5e-7,"Exacts":[1e+21,null,2],"Float":1e-7}';
  expect(inForm(stored, ieee754)).toBe(
    '{"Exact":"-0.00000015","Exacts":["1000000000000000000000",null,"2"],"Float":1e-7}',
  );
});

/** The annotation of a member, as the specification has it. */
function annotation(name: string, found: string): readonly (readonly [string, string])[] {
  const [, of = "", collection = false] = fields.find(([known]) => known === name) ?? [];
  const short = of.slice("Edm.".length);
  if (collection) return [[`${name}@odata.type`, `#Collection(${short})`]];
  return found === "null" || ["String", "Boolean"].includes(short)
    ? []
    : [[`${name}@odata.type`, `#${short}`]];
}

test("full metadata adds types, links and tags to a record, and takes away a key that was not asked for", () => {
  fc.assert(
    fc.property(records, fc.boolean(), (all, showsKey) => {
      const texts = all.map(written);
      const expected = all.map((members, i) => {
        const key = JSON.parse(members.get("Key") ?? '""') as string;
        const id = `https://feed.example/Things('${encodeURIComponent(key.replaceAll("'", "''"))}')`;
        const bytes = Buffer.concat(
          ["type", "root", texts[i] ?? ""].flatMap((piece) => [Buffer.from(piece), Buffer.of(0xff)]),
        );
        const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
        const control = [
          ["@odata.type", "#Test.Thing"],
          ["@odata.id", id],
          ["@odata.etag", `"${tag}"`],
          ["@odata.readLink", id],
          ["Rooms@odata.navigationLink", `${id}/Rooms`],
          ["Owner@odata.navigationLink", `${id}/Owner`],
        ].map(([name, said]) => `"${name}":${JSON.stringify(said)}`);
        const shown = [...members].filter(([name]) => showsKey || name !== "Key");
        const own = shown.flatMap(([name, found]) => [
          ...annotation(name, found).map(([said, what]) => `"${said}":"${what}"`),
          `"${name}":${found}`,
        ]);
        return `{${[...control, ...own].join(",")}}`;
      });
      expect(inForm(texts.join(","), full(showsKey))).toBe(expected.join(","));
    }),
    { examples: [[[new Map([["Key", '"k"']]), new Map([["Key", '"l"']])], false]] },
  );
});

test("an empty record has nothing but its control information, and none without it", () => {
  expect(inForm("{},{}", ieee754)).toBe("{},{}");
  expect(inForm("{}", full(true))).toMatch(
    /^\{"@odata.type":"#Test.Thing",.*"Owner@odata.navigationLink":"[^"]*"\}$/,
  );
});

test("the bytes that are read are left as they were", () => {
  const source = Buffer.from('{"Key":"k","Large":1}');
  writeRecords(source, full(false, true));
  expect(source.toString()).toBe('{"Key":"k","Large":1}');
});

test("written in steps the records are the same", () => {
  fc.assert(
    fc.property(records, fc.integer({ min: 1, max: 3 }), (all, step) => {
      const bytes = Buffer.from(all.map(written).join(","));
      const sizes = [8];
      const writer = new RecordWriter(bytes, full(true, true), (size) => Buffer.alloc(sizes.pop() ?? size));
      let steps = 0;
      while (writer.write(step)) steps += 1;
      expect(steps).toBeLessThanOrEqual(all.length / step);
      expect(writer.finish().toString()).toBe(writeRecords(bytes, full(true, true)).toString());
    }),
  );
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
