import type { Row } from "@cadastre/odata";
import { type Field, type LocalResource, localResources, type OriginatingSystem } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";
import { provisionalIdRow } from "../../src/identity/provisional-id.ts";
import { withComputedValues } from "../../src/ingest/computed-values.ts";
import { listingValues } from "../../src/ingest/listing-values.ts";
import { drawValue } from "./field-values.ts";
import { type Random, randomOf } from "./random.ts";
import { testCatalog } from "./test-catalog.ts";

/** Fields that records of a resource refer to others with. */
const links: Partial<Readonly<Record<LocalResource, string>>> = {
  Media: "ResourceRecordKey",
  OpenHouse: "ListingKey",
};

/** Standard fields that every record has a value of: they decide who sees it. The rest is drawn. */
const decisive: Partial<Readonly<Record<LocalResource, (random: Random, system: OriginatingSystem) => Row>>> =
  {
    Property: (random, { states }) => ({
      StateOrProvince: random.pick(["TX", "WA", ...states]),
      CountyOrParish: random.pick(["Travis", null]),
      PostalCode: random.pick(["78701", "78702", "98101"]),
      Latitude: 30 + random.below(100) / 100,
      Longitude: -97 - random.below(100) / 100,
      Placekey: null,
    }),
    Media: (random) => ({ Permission: random.pick([[], ["Public"], ["Private"]]) }),
  };

/** Draws records of every system of the catalog, with values of all its local fields and of some standard ones. */
export function* drawnRecords(seed: number, perSystem: number): Generator<StoredRecord> {
  const random = randomOf(seed);
  for (const system of testCatalog.systems) {
    const listings: Row[] = [];
    for (const resource of localResources) {
      for (let i = 0; i < perSystem; i++) {
        const record = drawnRecord(random, resource, system, `${system.id}-${resource}-${i}`, listings);
        if (resource === "Property") listings.push(record);
        yield {
          resource,
          datasetId: system.datasetId,
          record,
          ...hiddenOf(resource, record, system, listings),
        };
      }
    }
  }
}

/** The resources in which records refer to earlier ones: listings come first. */
function drawnRecord(
  random: Random,
  resource: LocalResource,
  system: OriginatingSystem,
  key: string,
  listings: readonly Row[],
): Row {
  const { fields, key: keyName } = testCatalog.resource(resource);
  const link = links[resource];
  const chosen = fields.filter(({ source, name }) =>
    source === null ? random.chance(0.1) && isPlain(name) : source === system.id,
  );
  const values = chosen.flatMap((field): [string, unknown][] =>
    random.chance(0.2) || !isDrawn(field) ? [] : [[field.name, drawValue(random, field)]],
  );
  const record = {
    ...Object.fromEntries(values),
    [keyName]: key,
    ModificationTimestamp: new Date(Date.UTC(2024, 0, 1) + random.below(1000) * 60_000).toISOString(),
    OriginatingSystemName: system.name,
    ...decisive[resource]?.(random, system),
    ...(link === undefined ? {} : { [link]: random.pick(listings)["ListingKey"] }),
  } as Row;
  return resource === "Property" ? withComputedValues(record) : record;
}

const isDrawn = ({ type }: Field): boolean => !type.startsWith("Edm.Geo");

/** True for standard fields whose values do not have to agree with those of others. */
const isPlain = (name: string): boolean => !/Key|Latitude|Longitude|Timestamp|UniversalProperty/.test(name);

function hiddenOf(
  resource: LocalResource,
  record: Row,
  { datasetId }: OriginatingSystem,
  listings: readonly Row[],
): Pick<StoredRecord, "hidden"> {
  if (resource === "Property") return { hidden: provisionalIdRow(datasetId, record) };
  const link = links[resource];
  const listing =
    link === undefined ? undefined : listings.find(({ ListingKey }) => ListingKey === record[link]);
  return listing === undefined ? {} : { hidden: listingValues(datasetId, listing) };
}
