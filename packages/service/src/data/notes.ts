import type { WritableStore } from "@cadastre/store";

/** Keys of the notes that the listings database carries. */
export const notes = {
  /** `true` while all of its records are sample records; `false` from the first ingest on. */
  sample: "sample",
  /** How many sample listings were made. */
  listings: "listings",
  examples: "examples",
  /** The number of the catalog whose checks of stored records were run. */
  checked: "checked",
} as const;

/** Sample records alone: nothing was ever ingested. Of databases from before the note it is not known, and taken as false. */
export const isSample = async (store: Pick<WritableStore, "notes">): Promise<boolean> =>
  (await store.notes.get(notes.sample)) === "true";

/** Note that the database holds more than a sample: to be called before anything is ingested. True if it was one. */
export async function endSample(store: Pick<WritableStore, "notes">): Promise<boolean> {
  if (!(await isSample(store))) return false;
  await store.notes.set(notes.sample, "false");
  return true;
}
