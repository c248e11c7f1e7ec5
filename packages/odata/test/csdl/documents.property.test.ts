import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CsdlDocument,
  entityModelOf,
  readCsdl,
  writeCsdlJson,
  writeCsdlXml,
} from "../../src/csdl/index.ts";
import type {
  EntityModel,
  EntitySet,
  EntityType,
  PrimitiveType,
  StructuralProperty,
} from "../../src/index.ts";
import type { Annotation, EnumType, StructuredProperty, StructuredType } from "../../src/run/index.ts";
import { toCsdlJson } from "../support/csdl-json.ts";
import { faultsOf, readXml } from "../support/csdl-xml.ts";
import { homes } from "../support/homes.ts";
import { listing } from "../support/listing.ts";

const name = fc.stringMatching(/^[A-Za-z_]\w{0,8}$/);

/** Text that XML can hold. */
const text = fc
  .string({ unit: "grapheme", maxLength: 12 })
  .filter((value) => !/[\p{Cc}\p{Cs}\p{Cn}]/u.test(value));

const annotations: fc.Arbitrary<readonly Annotation[] | undefined> = fc.option(
  fc.uniqueArray(
    fc.record({
      term: fc.constantFrom(
        "Org.OData.Core.V1.Computed",
        "Org.OData.Measures.V1.Unit",
        "RESO.OData.Metadata.LookupName",
      ),
      value: fc.oneof(text, fc.boolean(), fc.integer()),
    }),
    { selector: ({ term }) => term },
  ),
  { nil: undefined },
);

const types: readonly PrimitiveType[] = [
  "Edm.String",
  "Edm.Decimal",
  "Edm.Int64",
  "Edm.DateTimeOffset",
  "Edm.GeographyPoint",
  "Edm.Boolean",
];

const facets = fc.record(
  {
    maxLength: fc.integer({ min: 1, max: 4000 }),
    precision: fc.integer({ min: 0, max: 30 }),
    scale: fc.integer({ min: 0, max: 20 }),
    srid: fc.constantFrom(0, 4326),
  },
  { requiredKeys: [] },
);

const facts = fc.record({
  type: fc.constantFrom(...types),
  collection: fc.boolean(),
  nullable: fc.boolean(),
  enumType: fc.option(
    fc.constantFrom<EnumType>(
      { name: "Sales.Model.PatternEnum", members: ["Plain", "Striped"], isFlags: false },
      { name: "Other.ViewEnum", members: ["City", "Lake"], values: [1, 4], isFlags: true },
    ),
    { nil: undefined, freq: 4 },
  ),
  facets,
  annotations,
});

const properties: fc.Arbitrary<readonly StructuralProperty[]> = fc
  .uniqueArray(fc.tuple(name, facts), { minLength: 1, maxLength: 4, selector: ([own]) => own })
  .map((all) =>
    all.map(([own, { facets: more, annotations: said, enumType, ...fact }]) => ({
      name: own,
      ...fact,
      ...(enumType !== undefined && fact.type === "Edm.String" ? { enumType } : {}),
      ...more,
      ...annotated(said),
    })),
  );

const entitySet: fc.Arbitrary<EntitySet> = fc
  .record({ name, properties, ofType: annotations, ofSet: annotations })
  .map(({ name: own, properties: all, ofType, ofSet }) => {
    const key = all.slice(0, 1).map((property) => property.name);
    const type = { name: `${own}Type`, key, properties: new Map(all.map((one) => [one.name, one])) };
    return { name: own, type: { ...type, ...annotated(ofType) }, ...annotated(ofSet) };
  });

const annotated = (said: readonly Annotation[] | undefined) =>
  said === undefined ? {} : { annotations: said };

/** From the place of a type to that of another, by a name. */
const link = fc.record({ from: fc.nat(3), to: fc.nat(5), collection: fc.boolean() });

const models: fc.Arbitrary<EntityModel> = fc
  .tuple(
    fc.uniqueArray(entitySet, { maxLength: 4, selector: ({ name: own }) => own }),
    fc.array(link, { maxLength: 6 }),
  )
  .map(([entitySets, links]) => {
    const complex: StructuredType = { name: "a_ComplexType", properties: new Map(), structured: new Map() };
    const types = [...entitySets.map(({ type }) => type), complex];
    const structured = types.map(() => new Map<string, StructuredProperty>());
    const linked: StructuredType[] = types.map((type, i) => ({
      ...type,
      structured: structured[i] ?? new Map(),
    }));
    for (const [i, { from, to, collection }] of links.entries()) {
      const target = () => linked[to % linked.length] as StructuredType;
      const own = `link_${i}`;
      structured[from % linked.length]?.set(own, { name: own, target, collection });
    }
    return {
      namespace: "Sales.Model",
      container: "Everything",
      entitySets: entitySets.map((set, i) => ({ ...set, type: linked[i] as EntityType })),
    };
  });

const fixed: EntityModel = {
  namespace: "org.reso.metadata",
  container: "RESO",
  entitySets: [listing, homes],
};

test("what is written in XML keeps the rules of the standard, and JSON says the same", () => {
  fc.assert(
    fc.property(models, fc.constantFrom("4.0" as const, "4.01" as const), (model, version) => {
      const xml = readXml(writeCsdlXml(model, version));
      expect(faultsOf(xml)).toEqual([]);
      expect(JSON.parse(writeCsdlJson(model))).toEqual(toCsdlJson(xml));
    }),
    { examples: [[fixed, "4.0"]] },
  );
});

/** A collection of complex values has other defaults in the two formats: in JSON its items are not null. */
const comparable = ({ types, ...others }: CsdlDocument) => ({
  ...others,
  types: new Map(
    [...types].map(([own, type]) => [
      own,
      {
        ...type,
        properties: type.properties.map((one) =>
          one.type.startsWith("Sales.Model.") && one.collection ? { ...one, nullable: false } : one,
        ),
      },
    ]),
  ),
});

test("what is written is read again, from XML as from JSON", () => {
  fc.assert(
    fc.property(models, fc.constantFrom("4.0" as const, "4.01" as const), (model, version) => {
      fc.pre(model.entitySets.length > 0);
      const document = readCsdl(writeCsdlXml(model, version));
      expect(comparable(readCsdl(writeCsdlJson(model)))).toEqual(comparable(document));
      expect(document.container).toEqual({ namespace: model.namespace, name: model.container });
      for (const { name: set, type } of model.entitySets) {
        const found = document.entitySets.get(set);
        expect(found?.type).toBe(`${model.namespace}.${type.name}`);
        const read = document.types.get(found?.type ?? "");
        expect(read?.key).toEqual(type.key);
        const expected = [...type.properties.values()].map(({ enumType, ...property }) => ({
          maxLength: undefined,
          precision: undefined,
          scale: undefined,
          srid: undefined,
          annotations: [],
          ...property,
          type: enumType?.name ?? property.type,
        }));
        expect(read?.properties.slice(0, expected.length)).toEqual(expected);
      }
    }),
  );
});

/** The model without annotations of types and sets, which a reader of a document does not need. */
const withoutAnnotations = (model: EntityModel): EntityModel => {
  const types = new Map<StructuredType, StructuredType>();
  const plain = <T extends StructuredType>(type: T): T => {
    const known = types.get(type);
    if (known !== undefined) return known as T;
    const { annotations: _, structured, ...rest }: StructuredType & Partial<EntityType> = type;
    const links = new Map<string, StructuredProperty>();
    types.set(type, { ...rest, structured: links });
    for (const [own, { target, ...one }] of structured ?? []) {
      const aim = plain(target());
      links.set(own, { ...one, target: () => aim });
    }
    return types.get(type) as T;
  };
  return {
    ...model,
    entitySets: model.entitySets.map(({ name: own, type }) => ({ name: own, type: plain(type) })),
  };
};

test("the model of a document is that which the document was written of", () => {
  fc.assert(
    fc.property(models, fc.constantFrom("4.0" as const, "4.01" as const), (model, version) => {
      fc.pre(model.entitySets.length > 0);
      const expected = writeCsdlXml(withoutAnnotations(model), version);
      expect(writeCsdlXml(entityModelOf(readCsdl(writeCsdlXml(model, version))), version)).toBe(expected);
      expect(JSON.parse(writeCsdlJson(entityModelOf(readCsdl(writeCsdlJson(model)))))).toEqual(
        JSON.parse(writeCsdlJson(withoutAnnotations(model))),
      );
    }),
    { examples: [[fixed, "4.0"]] },
  );
});
