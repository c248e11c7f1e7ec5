import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EntitySet, Row, StructuralProperty } from "@cadastre/odata";
import { generateMarket } from "@cadastre/sample";
import type { Change, StoredRecord } from "@cadastre/store";
import { openSqliteStore } from "@cadastre/store/sqlite";
import { storedResources } from "../../src/catalog.ts";
import type { DataFolder } from "../../src/data/data-folder.ts";
import { sampleRecords } from "../../src/data/sample-records.ts";

/*
 * Marks in what nobody, or not everybody, may see. Whatever the tests of this package get to read is searched for them.
 */

const mark = () => `canary${randomBytes(16).toString("hex")}`;

/** In every text of records whose dataset no customer has. */
export const hiddenMark = mark();

/** What is marked of a sample market: these fields of the first listing of a state. */
type Marked = {
  readonly mark: string;
  readonly state: string;
  readonly fields: readonly string[];
  /** Demo customers who may not see it. */
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

const hiddenDataset = "00000000-0000-4000-8000-000000000000";

/** What the customer of an API key may not see. */
const hiddenMarks = new Map<string, readonly string[]>();

/** Say which demo customer has the API key. */
export function knowCustomer(apiKey: string, name: string): void {
  const hidden = allMarked.filter(({ hiddenFrom }) => hiddenFrom.includes(name));
  hiddenMarks.set(
    apiKey,
    hidden.map((one) => one.mark),
  );
}

/** @throws {Error} if the text holds what the customer of the key, or nobody, may see. */
export function requireNoCanary(text: string, where: string, apiKey?: string): void {
  const marks = [hiddenMark, ...((apiKey === undefined ? undefined : hiddenMarks.get(apiKey)) ?? [])];
  if (marks.some((one) => text.includes(one))) throw new Error(`a canary in ${where}`);
}

/**
 * As {@link requireNoCanary}, of every file in the folder but the database itself. What was delivered holds what its customer may
 * see.
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

/** Put the marks into a folder's sample listings, of which there are so many. */
export async function plantCanaries({ database }: DataFolder, listings: number): Promise<void> {
  const store = await openSqliteStore({ file: database, resources: storedResources, threads: 0 });
  const hidden = storedResources.map((stored) => hiddenRecord(stored.entitySet, stored.hidden ?? []));
  await store.commit([...hidden, ...markedListings(listings)]);
  await store.close();
}

/** A record that is nowhere to be found, in a region that customers have. */
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
    // Of a county that there is, so that its set passes its gates.
    ...(name === "PublicRecord" ? { CountyFips: "48453", Placekey: null } : {}),
    ...(name === "Lookup" ? { LookupKey: `${hiddenMark}-${hiddenMark}` } : {}),
  };
  const hidden = Object.fromEntries(hiddenProperties.map(markOf));
  return { resource: name, datasetId: hiddenDataset, record, hidden };
}

/** The first listing of the market in each state that has a mark, with it. */
function markedListings(listings: number): readonly Change[] {
  const unmarked = new Set<Marked>(allMarked);
  const changes: Change[] = [];
  // Most of the market comes after the two, and is not generated.
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
