import { describe, expect, test } from "vitest";
import {
  CatalogError,
  createCatalog,
  dictionaryCatalog,
  readDefinition,
  readDictionary,
  requireSuccessor,
} from "../src/index.ts";

const standardName = (value: string) => [{ term: "RESO.OData.Metadata.StandardName", value }];

/** A later version, in the form in which RESO publishes one. */
const report = {
  description: "RESO Data Dictionary Metadata Report",
  version: "2.1",
  resources: [{ resourceName: "Property" }],
  fields: [
    {
      resourceName: "Property",
      fieldName: "ListPrice",
      type: "Edm.Decimal",
      precision: 14,
      scale: 2,
      annotations: standardName("List Price"),
    },
    {
      resourceName: "Property",
      fieldName: "FeedTypes",
      type: "org.reso.metadata.enums.FeedTypes",
      isCollection: true,
      annotations: standardName("Feed Types"),
    },
    { resourceName: "Property", fieldName: "RoofYear", type: "Edm.Int64", nullable: true, annotations: [] },
    {
      resourceName: "Property",
      fieldName: "Showings",
      type: "org.reso.metadata.Showing",
      isExpansion: true,
      annotations: [],
    },
    { resourceName: "Caravan", fieldName: "CaravanKey", type: "Edm.String", annotations: [] },
  ],
  lookups: [
    { lookupName: "org.reso.metadata.enums.FeedTypes", lookupValue: "IDX", annotations: [] },
    {
      lookupName: "org.reso.metadata.enums.FeedTypes",
      lookupValue: "BrokerBackOffice",
      annotations: standardName("Broker Back Office"),
    },
    {
      lookupName: "org.reso.metadata.enums.Appliances",
      lookupValue: "SteamOven",
      annotations: standardName("Steam Oven"),
    },
    {
      lookupName: "org.reso.metadata.enums.Appliances",
      lookupValue: "Dishwasher",
      annotations: standardName("Dishwasher"),
    },
    { lookupName: "org.reso.metadata.enums.CaravanType", lookupValue: "Bus", annotations: [] },
  ],
};

const additions = readDictionary(report);
const withReport = (fields: readonly object[]) => ({ ...report, fields });

const faultsOf = (run: () => unknown): readonly string[] => {
  try {
    run();
  } catch (error) {
    if (error instanceof CatalogError) return error.message.split("\n");
    throw error;
  }
  return [];
};

test("a later dictionary is read as what it adds to resources that are served", () => {
  expect(additions).toEqual({
    version: "2.1",
    fields: {
      Property: [
        {
          name: "FeedTypes",
          displayName: "Feed Types",
          type: "Edm.String",
          collection: true,
          lookup: "FeedTypes",
          lookupStatus: "Open with Enumerations",
        },
        { name: "RoofYear", displayName: "RoofYear", type: "Edm.Int64" },
      ],
    },
    lookups: {
      Appliances: [["Steam Oven", "SteamOven"]],
      FeedTypes: [
        ["IDX", "IDX"],
        ["Broker Back Office", "BrokerBackOffice"],
      ],
    },
  });
});

test("a dictionary that gives a standard field another type is refused", () => {
  const other = { resourceName: "Property", fieldName: "ListPrice", type: "Edm.Int64", annotations: [] };
  expect(faultsOf(() => readDictionary(withReport([other])))).toEqual([
    "fields[0].type: `Property/ListPrice` is Edm.Decimal in version 2.0, and records have such values: it cannot become Edm.Int64",
  ]);
  expect(faultsOf(() => readDictionary({ version: "2.1" }))).not.toEqual([]);
});

describe("a catalog that follows a later dictionary", () => {
  const catalog = createCatalog(readDefinition({ systems: [], dictionary: additions }));
  const names = (of: typeof catalog) => of.fieldsOf("Property").map(({ name }) => name);

  test("has the new fields behind those that every catalog has, as standard ones", () => {
    expect(names(catalog)).toEqual([...names(dictionaryCatalog), "FeedTypes", "RoofYear"]);
    expect(catalog.entitySet("Property").type.properties.get("FeedTypes")).toMatchObject({
      collection: true,
      nullable: false,
      annotations: [
        { term: "RESO.OData.Metadata.StandardName", value: "Feed Types" },
        { term: "RESO.OData.Metadata.LookupName", value: "FeedTypes" },
      ],
    });
    expect([catalog.dictionary.version, dictionaryCatalog.dictionary.version]).toEqual(["2.1", "2.0"]);
  });

  test("lists the new values, as standard ones", () => {
    const rows = [...catalog.lookups.rows()].map(({ datasetId, record }) => ({ datasetId, ...record }));
    expect(rows).toContainEqual(
      expect.objectContaining({
        datasetId: null,
        LookupName: "Appliances",
        LookupValue: "Steam Oven",
        StandardLookupValue: "Steam Oven",
      }),
    );
    expect(catalog.lookups.values("FeedTypes").map(({ value }) => value)).toEqual([
      "IDX",
      "Broker Back Office",
    ]);
  });

  test("takes no local field of a new field's name, and no addition twice", () => {
    const system = {
      id: "northshore",
      name: "North Shore MLS",
      prefix: "NSM_",
      states: [],
      datasetId: "0c9b5d7e-7f0c-4a44-8d0e-5b8f9f5f2f10",
      fields: {
        Property: [{ name: "RoofYear", displayName: "Roof Year", type: "Edm.Int64" as const }],
      },
    };
    expect(faultsOf(() => createCatalog({ systems: [system], dictionary: additions }))).toEqual([
      "systems[0].fields.Property[0].name: `RoofYear`: `RoofYear` is a standard field: leave it out here, since every system has it",
    ]);
    const twice = {
      version: "2.1",
      fields: { Property: [{ name: "City", displayName: "C", type: "Edm.String" as const }] },
      lookups: { None: [] },
    };
    expect(faultsOf(() => createCatalog({ systems: [], dictionary: twice }))).toEqual([
      "dictionary.fields.Property[0].name: `City` is a standard field already",
      "dictionary.lookups.None: no standard field has this lookup",
    ]);
  });

  test("keeps its new fields, since records may have values of them", () => {
    expect(faultsOf(() => requireSuccessor(catalog.definition, { systems: [] }))).toEqual([
      "dictionary.fields.Property: `FeedTypes` is missing: a field is not removed, since records may have values of it",
      "dictionary.fields.Property: `RoofYear` is missing: a field is not removed, since records may have values of it",
    ]);
    expect(faultsOf(() => requireSuccessor({ systems: [] }, catalog.definition))).toEqual([]);
  });
});
