import { appendFile } from "node:fs/promises";
import type { Row } from "@cadastre/odata";
import { keyFieldOf } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";
import { type BatchCheck, checkBatch } from "../ingest/check-batch.ts";
import type { Note } from "../ingest/notes.ts";
import { type Reject, withRejects } from "../ingest/rejects.ts";

/** A line of the rejects file. */
export type FeedReject = {
  /** Key of the record. Null if it is not a string. */
  readonly key: string | null;
} & Pick<Reject, "field" | "value" | "code" | "reason">;

/** Note in the rejects file about changed records. The key is that of the first one. */
export type FeedNote = { readonly key: string | null } & Omit<Note, "line">;

export type CheckedRecords = {
  readonly taken: readonly StoredRecord[];
  readonly rejects: readonly FeedReject[];
  readonly notes: readonly FeedNote[];
  /** Number of rejected records. */
  readonly rejected: number;
};

/**
 * Checks the records of a page. A record that changed while the feed was read may occur twice; the later one is used.
 */
export async function checkRecords(
  records: readonly Row[],
  check: Omit<BatchCheck, "seen">,
): Promise<CheckedRecords> {
  const keyName = keyFieldOf(check.resource);
  const keys = records.map((record) => keyText(record[keyName]));
  const last = new Map(keys.map((key, line) => [key, line]));
  const entries = records
    .map((record, line) => ({ line, record }))
    .filter(({ line }) => keys[line] === null || last.get(keys[line] ?? null) === line);
  const checked = await checkBatch(entries, { ...check, seen: new Set() });
  const byKey = <Told extends { readonly line: number }>({ line, ...told }: Told) => ({
    key: keys[line] ?? null,
    ...told,
  });
  return {
    taken: checked.records,
    rejects: checked.rejects.map(byKey),
    notes: checked.notes.map(byKey),
    rejected: entries.length - checked.records.length,
  };
}

const keyText = (key: unknown): string | null => (typeof key === "string" ? key : null);

/** Appends rejects and notes to those of earlier runs. */
export const appendFeedRejects = (file: string, told: readonly (FeedReject | FeedNote)[]): Promise<void> =>
  withRejects(file, () =>
    appendFile(file, told.map((one) => `${JSON.stringify(one)}\n`).join(""), { mode: 0o600 }),
  );
