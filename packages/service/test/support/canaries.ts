import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EntitySet, Row } from "@cadastre/odata";
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

/** In a listing of Texas, in fields that the demo customer `state` has in no dataset. */
export const fieldMark = mark();
const markedFields = ["PrivateRemarks", "ListAgentFullName", "ListAgentKey"];

const hiddenDataset = "00000000-0000-4000-8000-000000000000";

/** API keys of customers who may not see the marked fields. */
const withoutFields = new Set<string>();

/** Say that the customer of an API key may not see the marked fields. */
export const hideFieldsFrom = (apiKey: string): void => void withoutFields.add(apiKey);

/** @throws {Error} if the text holds what the customer of the key, or nobody, may see. */
export function requireNoCanary(text: string, where: string, apiKey?: string): void {
  const marks = apiKey !== undefined && withoutFields.has(apiKey) ? [hiddenMark, fieldMark] : [hiddenMark];
  if (marks.some((one) => text.includes(one))) throw new Error(`a canary in ${where}`);
}

/** As {@link requireNoCanary}, of every file in the folder but the database itself. */
export async function requireNoCanaryFile({ path, database }: DataFolder): Promise<void> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const text = file.startsWith(database) ? "" : await readFile(file, "latin1");
    for (const one of [hiddenMark, fieldMark]) {
      if (text.includes(one)) throw new Error(`a canary in ${file}`);
    }
  }
}

/** Put the marks into a folder's sample listings, of which there are so many. */
export async function plantCanaries({ database }: DataFolder, listings: number): Promise<void> {
  const store = await openSqliteStore({ file: database, resources: storedResources, threads: 0 });
  const hidden = storedResources.map((stored) => hiddenRecord(stored.entitySet, stored.hidden ?? []));
  await store.commit([...hidden, ...markedListing(listings)]);
  await store.close();
}

/** A record that is nowhere to be found, in a region that customers have. */
function hiddenRecord(
  { name, type }: EntitySet,
  hiddenProperties: readonly { readonly name: string }[],
): StoredRecord {
  const texts = [...type.properties.values()]
    .filter((property) => property.type === "Edm.String")
    .map((property) => [property.name, property.collection ? [hiddenMark] : hiddenMark] as const);
  const record: Row = {
    ...Object.fromEntries(texts),
    ModificationTimestamp: "2024-05-01T10:00:00.000Z",
    ...(name === "Property" ? { StateOrProvince: "TX" } : {}),
  };
  const hidden = Object.fromEntries(hiddenProperties.map((property) => [property.name, hiddenMark]));
  return { resource: name, datasetId: hiddenDataset, record, hidden };
}

/** The first listing of Texas, marked. */
function markedListing(listings: number): readonly Change[] {
  const marked = Object.fromEntries(markedFields.map((name) => [name, fieldMark]));
  for (const row of sampleRecords(generateMarket({ seed: 1, listings }))) {
    if (row.resource === "Property" && row.record["StateOrProvince"] === "TX") {
      return [{ ...row, record: { ...row.record, ...marked } }];
    }
  }
  throw new RangeError("no listing of Texas");
}
