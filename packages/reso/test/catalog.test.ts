import { describe, expect, test } from "vitest";
import {
  type CatalogDefinition,
  CatalogError,
  coreFields,
  createCatalog,
  dictionaryCatalog,
  type LocalField,
  type OriginatingSystem,
  readDefinition,
  recordNames,
  requireSuccessor,
  resourceNames,
} from "../src/index.ts";

const dock: LocalField = {
  name: "NSM_DockLength",
  displayName: "Dock Length",
  type: "Edm.Decimal",
  precision: 7,
  scale: 2,
};
const zoning: LocalField = {
  name: "NSM_Zoning",
  displayName: "Zoning",
  type: "Edm.String",
  lookup: "NSM_Zoning",
  lookupStatus: "Locked with Enumerations",
};
const northshore: OriginatingSystem = {
  id: "northshore",
  name: "North Shore MLS",
  prefix: "NSM_",
  states: ["IL", "WI"],
  datasetId: "0c9b5d7e-7f0c-4a44-8d0e-5b8f9f5f2f10",
  fields: { Property: [dock, zoning] },
  lookups: {
    NSM_Zoning: [["Mixed Use", "MixedUse"]],
    ArchitecturalStyle: [["Barndominium", "Barndominium"]],
  },
};
const other: OriginatingSystem = {
  id: "other",
  name: "Other MLS",
  prefix: "OTH_",
  states: [],
  datasetId: "5f6b1de1-6a0a-4a2e-9d3a-2f4f4b0a3a11",
};

const faultsOf = (create: () => unknown): readonly string[] => {
  try {
    create();
  } catch (error) {
    if (error instanceof CatalogError) return error.message.split("\n");
    throw error;
  }
  return [];
};

describe("a catalog", () => {
  const catalog = createCatalog({ systems: [northshore, other] });

  test("has the fields of its systems behind those of the dictionary, and no others", () => {
    const names = (of: typeof catalog) => of.fieldsOf("Property").map(({ name }) => name);
    expect(names(catalog)).toEqual([...names(dictionaryCatalog), "NSM_DockLength", "NSM_Zoning"]);
    expect(catalog.entitySet("Property").type.properties.get("NSM_DockLength")).toMatchObject({
      type: "Edm.Decimal",
      precision: 7,
      scale: 2,
      nullable: true,
      annotations: [{ term: "RESO.OData.Metadata.DisplayName", value: "Dock Length" }],
    });
    for (const name of recordNames.filter((one) => one !== "Property"))
      expect(catalog.fieldsOf(name)).toEqual(dictionaryCatalog.fieldsOf(name));
  });

  test("has the annotations of a local field in its entity model", () => {
    const annotations = [{ term: "Org.OData.Core.V1.Description", value: "Feet of dock" }];
    const described = createCatalog({
      systems: [{ ...northshore, fields: { Property: [{ ...dock, annotations }] }, lookups: {} }],
    });
    expect(described.entitySet("Property").type.properties.get(dock.name)?.annotations).toEqual([
      { term: "RESO.OData.Metadata.DisplayName", value: "Dock Length" },
      ...annotations,
    ]);
  });

  test("lists values of its systems' lookups for their dataset, and its own values of standard lookups", () => {
    expect(catalog.lookups.values("NSM_Zoning")).toEqual([
      { value: "Mixed Use", legacyODataValue: "MixedUse" },
    ]);
    expect(catalog.lookups.ownValues("northshore", "ArchitecturalStyle")).toHaveLength(1);
    expect(catalog.lookups.ownValues("other", "ArchitecturalStyle")).toEqual([]);
    const added = [...catalog.lookups.rows()].filter(({ datasetId }) => datasetId !== null);
    expect(
      added.map(({ datasetId, record }) => [datasetId, record.LookupKey, record.StandardLookupValue]),
    ).toEqual([
      [northshore.datasetId, "NSM_Zoning-MixedUse", null],
      [northshore.datasetId, "NSM_ArchitecturalStyle-Barndominium", null],
    ]);
  });

  test("serves the standard fields that are chosen, and always those that the service reads", () => {
    const few = createCatalog({ systems: [], standardFields: { Property: ["PoolFeatures"] } });
    const names = few.fieldsOf("Property").map(({ name }) => name);
    expect(names).toContain("PoolFeatures");
    expect(names).not.toContain("FireplacesTotal");
    expect(new Set(names)).toEqual(new Set([...coreFields("Property"), "PoolFeatures"]));
    expect(few.fieldsOf("Member")).toEqual(dictionaryCatalog.fieldsOf("Member"));
  });

  test("knows every core field", () => {
    for (const name of resourceNames) {
      const known = dictionaryCatalog.fieldsOf(name).map((field) => field.name);
      expect(coreFields(name).filter((field) => !known.includes(field))).toEqual([]);
    }
  });

  test("is read from its JSON as it was", () => {
    const definition: CatalogDefinition = { systems: [northshore, other] };
    expect(readDefinition(JSON.parse(JSON.stringify(definition)))).toEqual(definition);
  });
});

/** A definition with changed members of its one system. */
const withSystem = (changes: Partial<OriginatingSystem>) => () =>
  createCatalog({ systems: [{ ...northshore, ...changes }] });
const withField = (changes: Partial<LocalField>) =>
  withSystem({ fields: { Property: [{ ...dock, ...changes }] } });

test.each<[string, () => unknown, ...string[]]>([
  [
    "a standard field",
    withField({ name: "ListPrice" }),
    "systems[0].fields.Property[0].name: `ListPrice`: `ListPrice` is a standard field",
  ],
  ["a standard field in other letters", withField({ name: "listprice" }), "`ListPrice` is a standard field"],
  [
    "a synonym of one",
    withField({ name: "AskingPrice" }),
    "has it as a synonym of the standard field `ListPrice`",
  ],
  [
    "a field of another system",
    () => createCatalog({ systems: [northshore, { ...other, fields: { Property: [dock] } }] }),
    "systems[1].fields.Property[0].name: `NSM_DockLength`: northshore has a field of that name: begin it with `OTH_`",
  ],
  [
    "an unknown lookup",
    withField({
      type: "Edm.String",
      precision: undefined as never,
      scale: undefined as never,
      lookup: "NSM_Nope",
      lookupStatus: "Open",
    }),
    "`NSM_Nope` is neither a standard lookup nor one of the system's `lookups`",
  ],
  [
    "a lookup without a status",
    withField({ lookup: "NSM_Zoning" }),
    "`lookup` and `lookupStatus` belong together",
  ],
  [
    "a facet of another type",
    withField({ maxLength: 5 }),
    "only a field of Edm.String has `maxLength`, not one of Edm.Decimal",
  ],
  ["more digits behind the point than digits", withField({ scale: 9 }), "must not exceed the precision of 7"],
  [
    "a lookup without the prefix",
    withSystem({ lookups: { Zoning: [] } }),
    "must begin with its prefix `NSM_`",
  ],
  [
    "a value twice",
    withSystem({
      lookups: {
        NSM_Zoning: [
          ["A", "A"],
          ["A", "B"],
        ],
      },
    }),
    "systems[0].lookups.NSM_Zoning[1][0]: `A` is listed twice",
  ],
  ["a reserved id", withSystem({ id: "dictionary" }), "systems[0].id: `dictionary` is reserved"],
  [
    "an id twice",
    () => createCatalog({ systems: [northshore, { ...other, id: "northshore" }] }),
    "systems[1].id: `northshore` is that of northshore already",
  ],
  [
    "a standard field that there is not",
    () => createCatalog({ systems: [], standardFields: { Property: ["Nope"] } }),
    "standardFields.Property[0]: Property has no standard field `Nope`",
  ],
])("a definition with %s is refused, with its place", (_, create, ...sentences) => {
  const faults = faultsOf(create).join("\n");
  for (const sentence of sentences) expect(faults).toContain(sentence);
});

test("all faults are told at once", () => {
  const faults = faultsOf(() =>
    createCatalog({
      systems: [
        {
          ...northshore,
          fields: { Property: [{ ...dock, name: "ListPrice", scale: 9 }] },
          lookups: { X: [] },
        },
      ],
    }),
  );
  expect(faults).toHaveLength(3);
});

test.each<[string, unknown, string]>([
  ["without systems", {}, "systems: "],
  ["with an unknown member", { systems: [], fields: [] }, "has no member `fields`"],
  [
    "with a wrong id",
    { systems: [{ ...other, id: "North Shore" }] },
    "systems[0].id: must be lower-case letters",
  ],
  [
    "with a wrong state",
    { systems: [{ ...other, states: ["Texas"] }] },
    "systems[0].states[0]: must be a code of two capital letters",
  ],
  [
    "with a name of two lines",
    { systems: [{ ...other, name: "A\nB" }] },
    "systems[0].name: must be one line of text",
  ],
  [
    "with an unknown type",
    { systems: [{ ...other, fields: { Property: [{ ...dock, type: "Edm.Guid" }] } }] },
    "systems[0].fields.Property[0].type",
  ],
  ["with fields of Lookup", { systems: [{ ...other, fields: { Lookup: [] } }] }, "systems[0].fields"],
])("JSON %s is refused, with its place", (_, json, sentence) => {
  expect(faultsOf(() => readDefinition(json)).join("\n")).toContain(sentence);
});

describe("a definition may follow another one", () => {
  const before: CatalogDefinition = { systems: [northshore] };
  const follow = (changes: Partial<OriginatingSystem>) =>
    faultsOf(() => requireSuccessor(before, { systems: [{ ...northshore, ...changes }, other] }));

  test("that has more systems, fields, values and room", () => {
    const roomier = { ...dock, precision: 9, displayName: "Length of the dock" };
    expect(
      follow({ fields: { Property: [zoning, roomier], Member: [{ ...dock, name: "NSM_X" }] }, name: "N" }),
    ).toEqual([]);
  });

  test.each<[string, Partial<OriginatingSystem>, string]>([
    ["lacks a field", { fields: { Property: [dock] } }, "`NSM_Zoning` is missing: a field is not removed"],
    [
      "has another type",
      { fields: { Property: [{ ...dock, type: "Edm.String" }, zoning] } },
      "must stay Edm.Decimal",
    ],
    [
      "has a list for a value",
      { fields: { Property: [{ ...dock, collection: true }, zoning] } },
      "must stay Edm.Decimal",
    ],
    [
      "has less room",
      { fields: { Property: [{ ...dock, precision: 5 }, zoning] } },
      "must not become smaller than 7",
    ],
    ["has another dataset", { datasetId: other.datasetId }, `must stay \`${northshore.datasetId}\``],
    ["has another prefix", { prefix: "NS_" }, "must stay `NSM_`"],
    ["lacks the system", { id: "elsewhere" }, "northshore is missing: a system is not removed"],
  ])("and not one that %s", (_, changes, sentence) => {
    expect(follow(changes).join("\n")).toContain(sentence);
  });
});
