import { appendFile } from "node:fs/promises";
import type { Row } from "@cadastre/odata";
import { resource } from "@cadastre/reso";
import type { StoredRecord } from "@cadastre/store";
import { type BatchCheck, checkBatch } from "../ingest/check-batch.ts";
import type { Note } from "../ingest/notes.ts";
import type { Reject } from "../ingest/rejects.ts";

/** A line of the rejects file. */
export type FeedReject = {
  /** Key of the record; null if it is no text. */
  readonly key: string | null;
} & Pick<Reject | Note, "field" | "code" | "reason">;

export type CheckedRecords = {
  readonly taken: readonly StoredRecord[];
  readonly rejects: readonly FeedReject[];
  /** Number of records that are not taken. */
  readonly rejected: number;
  /** What there is to tell of records that are taken, one each. */
  readonly notes: readonly FeedReject[];
};

/**
 * What of a page can be taken, and why the rest can not. A record that was changed while it was walked comes twice:
 * the later one counts.
 */
export async function checkRecords(
  records: readonly Row[],
  check: Omit<BatchCheck, "seen">,
): Promise<CheckedRecords> {
  const { key: keyName } = resource(check.resource);
  const keys = records.map((record) => keyText(record[keyName]));
  const last = new Map(keys.map((key, line) => [key, line]));
  const entries = records
    .map((record, line) => ({ line, record }))
    .filter(({ line }) => keys[line] === null || last.get(keys[line] ?? null) === line);
  const checked = await checkBatch(entries, { ...check, seen: new Set() });
  const toldOf = ({ line, ...told }: Reject | Note): FeedReject => ({ key: keys[line] ?? null, ...told });
  const rejects = checked.rejects.map(toldOf);
  const notes = checked.notes.map(toldOf);
  return { taken: checked.records, rejects, notes, rejected: entries.length - checked.records.length };
}

const keyText = (key: unknown): string | null => (typeof key === "string" ? key : null);

/** Write rejects behind those of the runs before. */
export const addRejects = (file: string, rejects: readonly FeedReject[]): Promise<void> =>
  appendFile(file, rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(""), { mode: 0o600 });
