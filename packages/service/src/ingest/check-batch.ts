import type { Row } from "@cadastre/odata";
import { entitySet, type RecordName, resource } from "@cadastre/reso";
import type { Store, StoredRecord } from "@cadastre/store";
import type { IdentityRegister } from "@cadastre/store/registry";
import { listingFields, listingValues } from "../data/listing-values.ts";
import { identityValues } from "../identity/provisional-id.ts";
import { type Fault, type FaultCode, faultsOf } from "./check-record.ts";
import type { Entry } from "./entry.ts";
import { type Note, noteOf } from "./notes.ts";
import { placed, placeFaults } from "./plausibility.ts";
import { type Reject, rejectsOf } from "./rejects.ts";
import { servedRecords } from "./served.ts";
import { type Source, sourceBySystem } from "./sources.ts";

/** A record that others belong to, and are visible with. */
type Owner = {
  readonly resource: RecordName;
  /** Where a record names its owner. */
  readonly key: string;
  /** What of the owner is kept with the record. The rest follows when it is published. */
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

export type Checked = {
  readonly records: readonly StoredRecord[];
  readonly rejects: readonly Reject[];
  /** What there is to tell of the records that are taken. */
  readonly notes: readonly Note[];
};

export type BatchCheck = {
  readonly store: Pick<Store, "page">;
  readonly resource: RecordName;
  readonly source: Source;
  /** Knows Placekeys that count before those of the source. */
  readonly crosswalk: Pick<IdentityRegister, "assigned">;
  /** Keys that the file has had so far: those of the batch are added. */
  readonly seen: Set<string>;
};

/** The records of a batch that can be taken, as the store takes them, and why the others can not. */
export async function checkBatch(entries: readonly Entry[], check: BatchCheck): Promise<Checked> {
  const { store, resource: name, source, seen } = check;
  const described = resource(name);
  const rejects: Reject[] = [];
  const taken: { line: number; key: string; record: Row }[] = [];
  for (const entry of entries) {
    if ("malformed" in entry) {
      rejects.push({ line: entry.line, field: null, code: "malformed", reason: entry.malformed });
      continue;
    }
    const { line, record } = entry;
    const key = String(record[described.key]);
    const repeated: readonly Fault[] = seen.has(key) ? [{ field: described.key, code: "duplicate_key" }] : [];
    const faults = [
      ...faultsOf(record, described, source),
      ...placeFaults(record, name, source),
      ...repeated,
    ];
    if (faults.length > 0) rejects.push(...rejectsOf(line, faults));
    else taken.push({ line, key, record });
    seen.add(key);
  }
  const keys = taken.map(({ key }) => key);
  const isForeign = await foreignKeys(store, name, source, keys);
  const owner = owners[name];
  const owned = owner && (await ownersOf(store, owner, taken));
  const placekeys = name === "Property" ? await check.crosswalk.assigned(source.name, keys) : undefined;
  const records: StoredRecord[] = [];
  const notes: Note[] = [];
  for (const { line, key, record } of taken) {
    const ownedBy = owner && owned?.get(String(record[owner.key]));
    const faults: Fault[] = [];
    if (isForeign.has(key)) faults.push({ field: described.key, code: "foreign_key" });
    if (owner !== undefined && ownedBy === undefined) faults.push({ field: owner.key, code: owner.unknown });
    if (faults.length > 0) {
      rejects.push(...rejectsOf(line, faults));
      continue;
    }
    const { record: own, told } =
      placekeys === undefined ? { record } : placed(record, placekeys.get(key), source);
    if (told !== undefined) notes.push(noteOf(line, "Placekey", told));
    records.push(storedRecord(own, check, ownedBy));
  }
  return { records, rejects, notes };
}

/** Those of the keys under which a record of another system is served; none of a resource whose records name no system. */
export async function foreignKeys(
  store: Pick<Store, "page">,
  name: RecordName,
  { systemName }: Source,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  if (systemName === null || !entitySet(name).type.properties.has("OriginatingSystemName")) return new Set();
  const served = await servedRecords(store, name, keys, ["OriginatingSystemName"]);
  const foreign = [...served].filter(([, record]) => record["OriginatingSystemName"] !== systemName);
  return new Set(foreign.map(([key]) => key));
}

/** The records that these belong to, by key. */
function ownersOf(
  store: Pick<Store, "page">,
  { resource: name, key, fields }: Owner,
  records: readonly { readonly record: Row }[],
): Promise<ReadonlyMap<string, Row>> {
  const keys = [...new Set(records.map(({ record }) => String(record[key])))];
  return servedRecords(store, name, keys, fields);
}

function storedRecord(
  record: Row,
  { resource: name, source }: BatchCheck,
  owner: Row | undefined,
): StoredRecord {
  const { name: from, datasetId } = source;
  const stored = { resource: name, datasetId, record, source: from };
  if (name === "Property") {
    const property = located(record);
    return { ...stored, record: property, hidden: identityValues(datasetId, property) };
  }
  const dataset = owner && datasetOf(owner);
  return dataset === undefined || owner === undefined
    ? stored
    : { ...stored, hidden: listingValues(dataset, owner) };
}

const datasetOf = ({ OriginatingSystemName }: Row): string | undefined =>
  sourceBySystem(OriginatingSystemName)?.datasetId ?? undefined;

/** The listing with what the service computes of its place. */
function located(record: Row): Row {
  const { Latitude, Longitude, Coordinates } = record;
  if (Coordinates !== undefined || typeof Latitude !== "number" || typeof Longitude !== "number")
    return record;
  return { ...record, Coordinates: { type: "Point", coordinates: [Longitude, Latitude] } };
}
