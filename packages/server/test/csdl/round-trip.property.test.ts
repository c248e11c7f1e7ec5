import fc from "fast-check";
import { expect, test } from "vitest";
import { declarationsOfCsdl } from "../../src/csdl/index.ts";
import { fetchOdata } from "../../src/fetch/index.ts";
import { unrestricted } from "../../src/index.ts";
import { arraySource } from "../../src/memory/index.ts";
import {
  bigInteger,
  boolean,
  collection,
  date,
  decimal,
  double,
  type EntitySetDeclaration,
  entitySet,
  enumeration,
  geographyPoint,
  guid,
  instant,
  integer,
  many,
  type Navigation,
  one,
  type PropertyDeclaration,
  single,
  smallInteger,
  text,
  timeOfDay,
} from "../../src/model/index.ts";
import { evaluateDeclarations } from "../support/declarations-module.ts";

/** Names of OData, those among them that a module of JavaScript has to write in another way. */
const name = fc.oneof(
  fc.stringMatching(/^[A-Za-z_]\w{0,8}$/),
  fc.constantFrom(
    "text",
    "class",
    "entitySets",
    "constructor",
    "__proto__",
    "Größe",
    "名前",
    "a\u0301b",
    "await",
    "one",
  ),
);

type Single = PropertyDeclaration<unknown, false>;

const singles: fc.Arbitrary<Single> = fc.oneof(
  fc.option(fc.integer({ min: 1, max: 4000 }), { nil: undefined }).map(text),
  fc
    .tuple(fc.option(fc.nat(30), { nil: undefined }), fc.option(fc.nat(9), { nil: undefined }))
    .map(([precision, scale]) => decimal(precision, scale)),
  fc.constantFrom<Single>(
    boolean(),
    smallInteger(),
    integer(),
    bigInteger(),
    double(),
    single(),
    date(),
    timeOfDay(),
    instant(),
    guid(),
    geographyPoint(),
    enumeration("Other.Status", ["Active", "class", "__proto__"]),
    enumeration("Office.Kind", ["A"]),
  ),
);

const said = fc.array(
  fc.record({
    term: fc.constantFrom("Org.OData.Core.V1.Description", "RESO.OData.Metadata.LookupName"),
    value: fc.oneof(
      fc.string({ unit: "grapheme-ascii" }),
      fc.constantFrom('a "b" \\ `c`', "// d", "\t\n"),
      fc.boolean(),
      fc.integer(),
    ),
  }),
  { maxLength: 1 },
);

const property: fc.Arbitrary<PropertyDeclaration> = fc
  .tuple(singles, fc.constantFrom("plain", "nullable", "collection"), said)
  .map(([item, kind, annotations]) => {
    const own = kind === "collection" ? collection(item) : kind === "nullable" ? item.nullable() : item;
    return annotations.length === 0 ? own : own.annotated(...annotations);
  });

const key = fc.uniqueArray(fc.tuple(name, singles), { minLength: 1, maxLength: 2, selector: ([own]) => own });
const others = fc.uniqueArray(fc.tuple(name, property), { maxLength: 4, selector: ([own]) => own });

/** Entities without a prototype can have a member of any name. */
const recordOf = <T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> => {
  const record = Object.create(null) as Record<string, T>;
  for (const [own, value] of entries) record[own] = value;
  return record;
};

const setFacts = fc.record({ name, key, others });
const link = fc.record({ from: fc.nat(3), to: fc.nat(3), backwards: fc.boolean() });

const declared: fc.Arbitrary<readonly EntitySetDeclaration[]> = fc
  .tuple(
    fc.uniqueArray(setFacts, { minLength: 1, maxLength: 4, selector: (set) => set.name }),
    fc.uniqueArray(link, {
      maxLength: 4,
      selector: ({ from, to }) => `${Math.min(from, to)}/${Math.max(from, to)}`,
    }),
  )
  .map(([sets, links]) =>
    sets.map((set, i) => {
      const inKey = new Set(set.key.map(([own]) => own));
      const navigation = links.flatMap(({ from, to, backwards }, place): [string, Navigation][] => {
        const [source, target] = [sets[from], sets[to]];
        if (source === undefined || target === undefined || from === to) return [];
        // Whether the types of the two properties are equal does not matter to the metadata.
        const own = source.key[0]?.[0] ?? "";
        const other = target.key[0]?.[0] ?? "";
        if (i === from) return [[`To_${place}`, one(target.name, recordOf([[own, other]]))]];
        return i === to && backwards ? [[`From_${place}`, many(source.name, recordOf([[other, own]]))]] : [];
      });
      return entitySet(set.name, {
        key: recordOf(set.key),
        properties: recordOf(set.others.filter(([own]) => !inKey.has(own))),
        navigation: recordOf(navigation),
      });
    }),
  );

const metadataOf = async (entitySets: readonly EntitySetDeclaration[], format: string, version: string) => {
  const handler = fetchOdata("/odata", {
    namespace: "Office",
    entitySets: [...entitySets],
    source: arraySource({}),
    restrict: unrestricted,
  });
  const headers = { "odata-maxversion": version };
  const url = `https://office.example/odata/$metadata?$format=${format}`;
  return (await handler(new Request(url, { headers }))).text();
};

test("declarations made of the metadata of a service have the same metadata", async () => {
  await fc.assert(
    fc.asyncProperty(
      declared,
      fc.constantFrom("xml", "json"),
      fc.constantFrom("4.0", "4.01"),
      async (sets, format, version) => {
        const metadata = await metadataOf(sets, format, version);
        const module = declarationsOfCsdl(metadata);
        expect(module).not.toContain("Left out");
        expect(await metadataOf(evaluateDeclarations(module), format, version)).toBe(metadata);
      },
    ),
    { numRuns: 300 },
  );
});
