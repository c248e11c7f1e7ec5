import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import { sampleCatalog } from "@cadastre/sample/catalog";
import type { Change, StoredRecord } from "@cadastre/store";
import { storedResources } from "../../src/catalog.ts";
import type { DataFolder } from "../../src/data/data-folder.ts";
import { databasesOf } from "../../src/data/databases.ts";
import { sampleRecords } from "../../src/data/sample-records.ts";

/*
 * Canaries: marks in data that nobody, or not everybody, may see. All texts that tests of this package read are searched for them.
 */

const mark = () => `canary${randomBytes(16).toString("hex")}`;

/** Mark in every text of records whose dataset no customer is granted. */
export const hiddenMark = mark();

/** A mark in some fields of the first listing of a state. */
type Marked = {
  readonly mark: string;
  readonly state: string;
  readonly fields: readonly string[];
  /** Demo customers who may not see the mark. */
  readonly hiddenFrom: readonly string[];
};

export const marked = {
  fields: {
    mark: mark(),
    state: "TX",
    fields: ["PrivateRemarks", "ListAgentFullName", "ListAgentKey"],
    hiddenFrom: ["state"],
  },
  masked: {
    mark: mark(),
    state: "WA",
    fields: ["UnparsedAddress", "Directions"],
    hiddenFrom: ["coarse"],
  },
} as const satisfies Record<string, Marked>;
const allMarked: readonly Marked[] = Object.values(marked);

export const hiddenDataset = "00000000-0000-4000-8000-000000000000";

/** Marks that a customer may not see, by API key. */
const hiddenMarks = new Map<string, readonly string[]>();

/** Registers the demo customer of an API key. */
export function knowCustomer(apiKey: string, name: string): void {
  const hidden = allMarked.filter(({ hiddenFrom }) => hiddenFrom.includes(name));
  hiddenMarks.set(
    apiKey,
    hidden.map((one) => one.mark),
  );
}

/** @throws {Error} if the text contains a mark that nobody, or not the customer of the key, may see */
export function requireNoCanary(text: string, where: string, apiKey?: string): void {
  const marks = [hiddenMark, ...((apiKey === undefined ? undefined : hiddenMarks.get(apiKey)) ?? [])];
  if (marks.some((one) => text.includes(one))) throw new Error(`a canary in ${where}`);
}

/**
 * Like {@link requireNoCanary}, for every file in the folder except the database. Delivered files may contain the marks that some customer
 * may see.
 */
export async function requireNoCanaryFile({ path, database, exports }: DataFolder): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const text = file.startsWith(database) ? "" : await readFile(file, "latin1");
    const seen = file.startsWith(exports) ? [] : allMarked.map(({ mark }) => mark);
    for (const one of [hiddenMark, ...seen]) {
      if (text.includes(one)) throw new Error(`a canary in ${file}`);
    }
  }
}

/** Writes the marks into a folder's sample listings. */
export async function plantCanaries(folder: DataFolder, listings: number): Promise<void> {
  const store = await databasesOf(folder).openListings({ threads: 0 });
  const hidden = storedResources(sampleCatalog).map((stored) =>
    hiddenRecord(stored.entitySet, stored.hidden ?? []),
  );
  await store.commit([...hidden, ...markedListings(listings)]);
  await store.close();
}

/** Returns a record that no customer may see, although it is in a region that customers are granted. */
function hiddenRecord(
  { name, type }: EntitySet,
  hiddenProperties: readonly StructuralProperty[],
): StoredRecord {
  const markOf = (property: StructuralProperty) =>
    [property.name, property.collection ? [hiddenMark] : hiddenMark] as const;
  const texts = [...type.properties.values()]
    .filter((property) => property.type === "Edm.String")
    .map(markOf);
  const record: Row = {
    ...Object.fromEntries(texts),
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    ...(name === "Property" ? { StateOrProvince: "TX" } : {}),
    // An existing county, so that the set passes its gates.
    ...(name === "PublicRecord" ? { CountyFips: "48453", Placekey: null } : {}),
    ...(name === "Lookup" ? { LookupKey: `${hiddenMark}-${hiddenMark}` } : {}),
  };
  const hidden = Object.fromEntries(hiddenProperties.map(markOf));
  return { resource: name, datasetId: hiddenDataset, record, hidden };
}

/** Returns the first listing of each state that has a mark, with the mark. */
function markedListings(listings: number): readonly Change[] {
  const unmarked = new Set<Marked>(allMarked);
  const changes: Change[] = [];
  // Stops at the last of them: the rest of the market is not generated.
  for (const row of sampleRecords(generateMarket({ seed: 1, listings }))) {
    if (row.resource !== "Property") continue;
    for (const one of unmarked) {
      if (row.record["StateOrProvince"] !== one.state) continue;
      const marks = Object.fromEntries(one.fields.map((name) => [name, one.mark]));
      changes.push({ ...row, record: { ...row.record, ...marks } });
      unmarked.delete(one);
    }
    if (unmarked.size === 0) return changes;
  }
  throw new RangeError(`no listing of ${[...unmarked].map(({ state }) => state).join()}`);
}
