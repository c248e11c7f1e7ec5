import { datasetProperty } from "@cadastre/entitlement";
import type { BoundNode, PrimitiveType, StructuralProperty } from "@cadastre/odata";
import { equals, propertyNode } from "@cadastre/odata/tree";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RecordAssembler, RecordLayout } from "../src/record/assemble.ts";
import { encodeRecord, requireEncodable } from "../src/record/encode.ts";
import { numberMembers } from "../src/record/members.ts";
import { planRecord } from "../src/record/plan.ts";
import type { Json } from "./conformance/harness.ts";

const datasets = ["one", "two", null] as const;

const text = fc
  .oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme", minLength: 100, maxLength: 300 }))
  .filter((value) => !value.includes("\0") && value.isWellFormed());

/** Values in JSON form, by type. */
const valuesOf: Partial<Record<PrimitiveType, fc.Arbitrary<unknown>>> = {
  "Edm.String": text,
  "Edm.Int64": fc.integer(),
  "Edm.Decimal": fc.integer().map((n) => n / 100),
  "Edm.Boolean": fc.boolean(),
  "Edm.Date": fc.constantFrom("2024-02-29", "0001-01-01"),
};

const property = fc
  .record({
    name: fc.oneof(fc.constantFrom("ä", '"', "a\\b", "😀"), fc.string({ minLength: 1, maxLength: 12 })),
    type: fc.constantFrom(...(Object.keys(valuesOf) as PrimitiveType[])),
    collection: fc.boolean(),
  })
  .filter(({ name }) => name !== "__proto__" && name.isWellFormed())
  .map((given): StructuralProperty => ({ ...given, nullable: true }));

const properties = fc.uniqueArray(property, { selector: ({ name }) => name, minLength: 1, maxLength: 150 });

const valueIn = ({ type, collection }: StructuralProperty): fc.Arbitrary<unknown> => {
  const one = valuesOf[type] ?? text;
  return fc.option(collection ? fc.array(one, { maxLength: 3 }) : one, { freq: 1 });
};

const recordOf = (all: readonly StructuralProperty[]) =>
  fc.tuple(fc.shuffledSubarray([...all]), fc.constantFrom(...datasets)).chain(([present, dataset]) =>
    fc.tuple(...present.map(valueIn)).map((values) => ({
      dataset,
      record: Object.fromEntries(present.map(({ name }, i) => [name, values[i]])),
    })),
  );

/** A type of which some properties were numbered before, in another order; records of it, and what to show of them. */
const cases = properties.chain((all) =>
  fc.record({
    all: fc.constant(all),
    known: fc.shuffledSubarray(all.map(({ name }) => name)),
    records: fc.array(recordOf(all), { maxLength: 4 }),
    shown: fc.shuffledSubarray([...all]),
    /** The dataset that shows a property; null: all of them. */
    only: fc.array(fc.constantFrom("one", "two", null), { minLength: all.length, maxLength: all.length }),
    nulls: fc.boolean(),
  }),
);

const inDataset = (dataset: string): BoundNode =>
  equals(propertyNode(datasetProperty), { kind: "Constant", type: "Edm.String", value: dataset });

test("what is put together from bytes is what the records hold and the datasets show", () => {
  fc.assert(
    fc.property(cases, ({ all, known, records, shown, only, nulls }) => {
      const type = { name: "T", key: [], properties: new Map(all.map((one) => [one.name, one])) };
      const { members } = numberMembers(type, known);
      const shownIn = new Map(shown.map((one, i) => [one.name, only[i] ?? null]));
      const select = shown.map((one) => {
        const dataset = shownIn.get(one.name) ?? null;
        const own = propertyNode(one);
        const expression: BoundNode =
          dataset === null ? own : { kind: "Choice", type: own.type, when: inDataset(dataset), value: own };
        return { property: one, expression };
      });
      const { plan, computed } = planRecord(select, members, nulls);
      expect(computed).toEqual([]);
      const expected = records.map(({ dataset, record }) => plain(record, dataset, shown, shownIn, nulls));
      for (const lines of [false, true]) {
        const assembler = new RecordAssembler(new RecordLayout(plan), lines, Buffer.alloc(16));
        for (const { dataset, record } of records) {
          const { text, members: index } = encodeRecord(record, members);
          assembler.add(Buffer.from(text), index, dataset);
        }
        const text = Buffer.from(assembler.finish()).toString();
        const separated = lines ? text.replaceAll("\n", ",").replace(/,$/, "") : text;
        expect(JSON.parse(`[${separated}]`)).toEqual(expected);
        if (lines) expect(text.split("\n")).toHaveLength(records.length + 1);
      }
    }),
    { numRuns: Number(process.env["CASES"] ?? 500) },
  );
});

const textProperty: StructuralProperty = {
  name: "Text",
  type: "Edm.String",
  collection: false,
  nullable: true,
};
const steps = ["add", "addChanged", "isChanged"] as const;

test("the output in shared memory is that in the buffer, whatever is appended or only compared", () => {
  const type = { name: "T", key: [], properties: new Map([["Text", textProperty]]) };
  const { members } = numberMembers(type, []);
  const own = propertyNode(textProperty);
  const { plan } = planRecord([{ property: textProperty, expression: own }], members, false);
  const layout = new RecordLayout(plan);
  const shownOf = (length: number) => {
    const { text, members: index } = encodeRecord({ Text: "é".repeat(length) }, members);
    return { text: Buffer.from(text), members: index, dataset: null, computed: "" };
  };
  const long = fc.integer({ min: 0, max: 20_000 });
  const step = fc.record({ kind: fc.constantFrom(...steps), is: long, was: fc.option(long) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), fc.boolean(), long, (taken, lines, size) => {
      const outputOf = (answer: Buffer | undefined) => {
        const assembler = new RecordAssembler(layout, lines, Buffer.alloc(16), answer);
        const told = taken.map(({ kind, is, was }) => {
          const shown = shownOf(is);
          if (kind !== "add") return assembler[kind](shown, shownOf(was ?? is));
          assembler.add(shown.text, shown.members, shown.dataset, shown.computed);
          return undefined;
        });
        return { told, output: Buffer.from(assembler.finish()).toString() };
      };
      expect(outputOf(Buffer.from(new SharedArrayBuffer(size)))).toEqual(outputOf(undefined));
    }),
    { numRuns: Number(process.env["CASES"] ?? 200) },
  );
});

test("what is checked without being encoded is refused as what is encoded is, with the same words", () => {
  const any = fc.oneof(
    ...Object.values(valuesOf),
    fc.constantFrom("a\0b", "\ud800", "2024-02-30", Number.NaN, null, [], [null], ["a\0b"], {}),
  );
  const wrong = properties.chain((all) =>
    fc.record({
      all: fc.constant(all),
      record: fc.dictionary(fc.constantFrom(...all.map(({ name }) => name), "Unknown"), any, { maxKeys: 3 }),
    }),
  );
  const told = (check: () => unknown): unknown => {
    try {
      check();
      return undefined;
    } catch (error) {
      return error;
    }
  };
  let refused = 0;
  fc.assert(
    fc.property(wrong, ({ all, record }) => {
      const type = { name: "T", key: [], properties: new Map(all.map((one) => [one.name, one])) };
      const { members } = numberMembers(type, []);
      const expected = told(() => encodeRecord(record, members));
      expect(told(() => requireEncodable(record, members))).toEqual(expected);
      if (expected !== undefined) refused++;
    }),
    { numRuns: Number(process.env["CASES"] ?? 500) },
  );
  expect(refused).toBeGreaterThan(0);
});

/** The same from objects. */
function plain(
  record: Json,
  dataset: string | null,
  shown: readonly StructuralProperty[],
  shownIn: ReadonlyMap<string, string | null>,
  nulls: boolean,
): Json {
  const members = shown.flatMap(({ name, collection }): [string, unknown][] => {
    const only = shownIn.get(name) ?? null;
    const isShown = (only === null || only === dataset) && Object.hasOwn(record, name);
    const value = isShown ? (record[name] ?? null) : null;
    if (value !== null) return [[name, value]];
    if (collection) return [[name, []]];
    return nulls ? [[name, null]] : [];
  });
  return Object.fromEntries(members);
}
