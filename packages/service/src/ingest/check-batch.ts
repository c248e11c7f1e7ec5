import type { Row } from "@cadastre/odata";
import type { Catalog, RecordName } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";
import { provisionalIdRow } from "../identity/provisional-id.ts";
import type { Listings } from "../listings.ts";
import { type CheckedRecord, checkRecord } from "./check-record.ts";
import { withComputedValues } from "./computed-values.ts";
import type { Entry } from "./entry.ts";
import { parsedText } from "./json-entry.ts";
import { listingFields, listingValues } from "./listing-values.ts";
import { type Note, Notes } from "./notes.ts";
import { placed, placeFaults } from "./plausibility.ts";
import type { FaultCode, RecordFault } from "./record-faults.ts";
import { type Reject, rejectsOf } from "./rejects.ts";
import type { Rounding } from "./rounding.ts";
import { servedRecords } from "./served.ts";
import { type Source, sourceBySystem } from "./sources.ts";

/** Resource whose records other records belong to. A record is visible to a caller if its owner is. */
type Owner = {
  readonly resource: RecordName;
  /** Field of a record with the key of its owner. */
  readonly key: string;
  /** Fields of the owner that are stored with the record. Others are added when it is published. */
  readonly fields: readonly string[];
  readonly unknown: FaultCode;
};

const ofListing = {
  resource: "Property",
  fields: Object.values(listingFields),
  unknown: "unknown_listing",
} as const;

const owners: Partial<Record<RecordName, Owner>> = {
  Media: { ...ofListing, key: "ResourceRecordKey" },
  MediaAsset: { resource: "Media", key: "MediaKey", fields: [], unknown: "unknown_media" },
  OpenHouse: { ...ofListing, key: "ListingKey" },
};

/** Field with the system of a record. */
const systemField = "OriginatingSystemName";

export type Checked = {
  readonly records: readonly StoredRecord[];
  readonly rejects: readonly Reject[];
  readonly notes: readonly Note[];
};

/** A record that has passed all checks that do not need the store. */
type Taken = Omit<CheckedRecord, "faults"> & { readonly line: number; readonly key: string };

export type BatchCheck = {
  readonly store: Pick<Listings, "page" | "catalog">;
  readonly resource: RecordName;
  readonly source: Source;
  /** The operator's Placekeys, which take precedence over those of the source. */
  readonly crosswalk: Pick<IdentityRegister, "assigned">;
  readonly rounding: Rounding;
  /** Keys of the file's records so far. The keys of the batch are added. */
  readonly seen: Set<string>;
};

/** Checks the records of a batch. Returns the valid ones in the form that the store accepts, and the faults of the others. */
export async function checkBatch(entries: readonly Entry[], check: BatchCheck): Promise<Checked> {
  const { store, resource: name, source, seen } = check;
  const { catalog } = store;
  const described = catalog.resource(name);
  const rejects: Reject[] = [];
  const notes = new Notes();
  const taken: Taken[] = [];
  for (const entry of entries) {
    if ("malformed" in entry) {
      rejects.push({
        line: entry.line,
        key: null,
        field: null,
        code: "malformed",
        reason: entry.malformed,
      });
      continue;
    }
    const { line } = entry;
    const given = entry.record[described.key];
    const key = String(given);
    const repeated: readonly RecordFault[] = seen.has(key)
      ? [{ field: described.key, code: "duplicate_key" }]
      : [];
    const checked = checkRecord(entry.record, {
      catalog,
      resource: described,
      source,
      rounding: check.rounding,
    });
    const faults = [...checked.faults, ...placeFaults(checked.record, name, source, catalog), ...repeated];
    if (faults.length > 0) rejects.push(...rejectsOf(line, faults, described, entry.record));
    else taken.push({ line, key, ...checked });
    if (typeof given === "string") seen.add(given);
  }
  const keys = taken.map(({ key }) => key);
  const isForeign = await foreignKeys(store, name, source, keys);
  const owner = owners[name];
  const owned = owner && (await ownersOf(store, owner, source, taken));
  const placekeys = name === "Property" ? await check.crosswalk.assigned(source.name, keys) : undefined;
  const records: StoredRecord[] = [];
  for (const { line, key, record, rounded, computed } of taken) {
    const ownedBy = owner && owned?.get(String(record[owner.key]));
    const faults: RecordFault[] = [];
    if (isForeign.has(key)) faults.push({ field: described.key, code: "foreign_key" });
    if (owner !== undefined && ownedBy === undefined) faults.push({ field: owner.key, code: owner.unknown });
    if (faults.length > 0) {
      rejects.push(...rejectsOf(line, faults, described, record));
      continue;
    }
    const { record: own, told } =
      placekeys === undefined ? { record } : placed(record, placekeys.get(key), source, catalog);
    records.push(storedRecord(own, check, ownedBy));
    notes.add(line, "rounded", rounded);
    notes.add(line, "computed", computed);
    if (told !== undefined) notes.add(line, told, ["Placekey"]);
  }
  return { records, rejects, notes: notes.found() };
}

/**
 * Returns the keys under which a record of another originating system is served. Empty if the records of the resource do not name their
 * system.
 */
export async function foreignKeys(
  store: Pick<Listings, "page" | "catalog">,
  name: RecordName,
  { systemName }: Source,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (systemName === null || !store.catalog.entitySet(name).type.properties.has("OriginatingSystemName"))
    return new Set();
  const served = await servedRecords(store, name, keys, ["OriginatingSystemName"]);
  const foreign = [...served].filter(([, record]) => record["OriginatingSystemName"] !== systemName);
  return new Set(foreign.map(([key]) => key));
}

/** Returns the served owners of the records, by key. A record belongs to a record of its own system. */
async function ownersOf(
  store: Pick<Listings, "page" | "catalog">,
  { resource: name, key, fields }: Owner,
  { systemName }: Source,
  records: readonly { readonly record: Row }[],
): Promise<ReadonlyMap<string, Row>> {
  const keys = [...new Set(records.map(({ record }) => String(record[key])))];
  const isOfRecord = (field: string) => fields.includes(field);
  const served = await servedRecords(store, name, keys, [...new Set([...fields, systemField])]);
  const own = [...served].filter(([, record]) => systemName === null || record[systemField] === systemName);
  return new Map(
    own.map(([owner, record]) => [
      owner,
      Object.fromEntries(Object.entries(record).filter(([field]) => isOfRecord(field))),
    ]),
  );
}

function storedRecord(
  record: Row,
  { resource: name, source, store: { catalog } }: BatchCheck,
  owner: Row | undefined,
): StoredRecord {
  const { name: from, datasetId } = source;
  const storedOf = (row: Row) => ({
    resource: name,
    datasetId,
    record: row,
    source: from,
    text: parsedText(row),
  });
  if (name === "Property") {
    const property = withComputedValues(record);
    return { ...storedOf(property), hidden: provisionalIdRow(datasetId, property) };
  }
  const stored = storedOf(record);
  const dataset = owner && datasetOf(catalog, owner);
  return dataset === undefined || owner === undefined
    ? stored
    : { ...stored, hidden: listingValues(dataset, owner) };
}

const datasetOf = (catalog: Catalog, { OriginatingSystemName }: Row): string | undefined =>
  sourceBySystem(catalog, OriginatingSystemName)?.datasetId ?? undefined;
