import type { WritableStore } from "@cadastre/store";

/** Keys of the notes in the listings database. */
export const notes = {
  /** `true` while all of its records are sample records; `false` from the first ingest on. */
  sample: "sample",
  /** Number of sample listings that were created. */
  listings: "listings",
  examples: "examples",
  /** Catalog version of the last check of the stored records. */
  checked: "checked",
  /** State of the deliveries of other instances that are received, by stream. */
  received: "received",
} as const;

/** True if nothing was ever ingested into the sample records. False for databases of versions without this note. */
export const isSample = async (store: Pick<WritableStore, "notes">): Promise<boolean> =>
  (await store.notes.get(notes.sample)) === "true";

/** Records that the database is no longer only a sample. Call it before anything is ingested. True if it was a sample. */
export async function endSample(store: Pick<WritableStore, "notes">): Promise<boolean> {
  if (!(await isSample(store))) return false;
  await store.notes.set(notes.sample, "false");
  return true;
}

/** A database that keeps notes. */
export type NotedStore = Pick<WritableStore, "notes">;

/** Reads the JSON text of what was received of other instances; undefined if nothing ever was. */
export const readReceived = ({ notes: kept }: NotedStore): Promise<string | undefined> =>
  kept.get(notes.received);

export const writeReceived = ({ notes: kept }: NotedStore, text: string): Promise<void> =>
  kept.set(notes.received, text);
