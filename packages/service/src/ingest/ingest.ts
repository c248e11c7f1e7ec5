import { createHash } from "node:crypto";
import type { Row } from "@cadastre/odata";
import type { RecordName } from "@cadastre/reso";
import type { BatchOptions, Change } from "@cadastre/store";
import type { Listings } from "../listings.ts";
import { acceptedValuesHash } from "./accepted-values.ts";
import { type IngestBatch, ingestBatches } from "./batches.ts";
import { type BatchCheck, checkBatch, foreignKeys } from "./check-batch.ts";
import { formatFileCursor, parseFileCursor } from "./cursor.ts";
import type { Entry, FileContent } from "./entry.ts";
import type { Format } from "./format.ts";
import { requireEnough } from "./full-set.ts";
import { IngestError } from "./ingest-error.ts";
import { type Input, PartLines } from "./input.ts";
import { mappedEntries } from "./mapped-entries.ts";
import type { SourceMapping } from "./mapping.ts";
import { addNotes, type Note, type NoteCounts, toldNotes } from "./notes.ts";
import { readLines } from "./read-lines.ts";
import { type RejectLimit, requireFewRejects } from "./reject-limit.ts";
import { RecordsRejected, type RejectReason, RejectReasons } from "./reject-reasons.ts";
import { appendRejects, beginRejects, type Reject, rejectsOf } from "./rejects.ts";
import { type Rounding, roundingOf } from "./rounding.ts";
import { requireNotRetired, type Source } from "./sources.ts";
import { requireKnownColumns } from "./unknown-columns.ts";

/** Content of the file: changed records, all records of the source, or keys of records to delete. */
export type IngestMode = "changes" | "full" | "delete";

export type Ingest = {
  readonly store: Pick<Listings, "page" | "builds" | "catalog">;
  readonly resource: RecordName;
  readonly source: Source;
  readonly crosswalk: BatchCheck["crosswalk"];
  readonly input: Input;
  /** Ignored in mode `delete`, where each line is a key. */
  readonly format: Format;
  readonly mode: IngestMode;
  /** Mapping of the file's records. Ignored in mode `delete`. Undefined: the file has our names and values. */
  readonly mapping?: SourceMapping | undefined;
  /** Fields whose values are rounded instead of rejected if they have too many digits. */
  readonly rounding: Rounding;
  /** File for rejected records, and for notes on changed ones. */
  readonly rejects: string;
  /** Limit on rejected records. More end the ingest. */
  readonly rejectLimit: RejectLimit;
  /** Percentage of the source's records that a full set may leave out. */
  readonly maxShrink: number;
  /** Called with the records of each batch that pass the checks. */
  readonly onTaken?: (records: readonly Row[]) => void;
  /** Called after each batch with the number of bytes read from the file, and the counts so far. */
  readonly onProgress: (bytes: number, counts: Counts) => void;
};

export type Counts = {
  /** Lines or records of the file, including those that an earlier run has read. */
  readonly read: number;
  /** Number of changes that this run has staged. */
  readonly staged: number;
  /** Number of records that this run has rejected. */
  readonly rejected: number;
  /** Number of records that this run has changed, by note and field. */
  readonly noted: NoteCounts;
};

export type IngestReport = Counts & {
  /** Number of entries that an earlier run has staged. This run has continued after them. */
  readonly resumed: number;
  /** Reasons why this run has rejected records. */
  readonly reasons: readonly RejectReason[];
};

/**
 * Stages a file. Memory is bounded, except for the keys of the file. If an earlier run of the same file was interrupted, continues after
 * the last batch that it staged; if it was complete, does nothing.
 *
 * @throws {RecordsRejected} if more records are rejected than allowed, or any record of a full set is
 * @throws {IngestError} if the file is refused as a whole
 * @throws {StoreError} as `Builds.stage`
 */
export async function ingest(task: Ingest): Promise<IngestReport> {
  const { store, resource, source, input, mode, rejects: rejectsFile } = task;
  await requireNotRetired(store.builds, source);
  const file = `${input.sha256}:${mode}${choiceMark(task)}`;
  let after = await store.builds.cursor(resource, source.name);
  const known = parseFileCursor(after);
  const before = known?.file === file ? known : undefined;
  const resumed = before?.entries ?? 0;
  if (before?.done === true)
    return { read: resumed, staged: 0, rejected: 0, noted: {}, resumed, reasons: [] };
  // With a limit of 100 % nothing is refused, so the file need not be read twice.
  if (mode === "full" && task.maxShrink < 100) await requireEnough(task);
  await beginRejects(rejectsFile, before?.line ?? 0);
  const seen = new Set<string>();
  let [bytes, read, staged, rejected] = [0, 0, 0, 0];
  let noted: NoteCounts = {};
  const reasons = new RejectReasons();
  let hasStaged = resumed > 0;
  const lines = new PartLines(input);
  const entries = lines.entries(
    (content) => entriesOf(task, content),
    (count) => {
      bytes += count;
    },
  );
  for await (const batch of ingestBatches(entries)) {
    read = batch.read;
    if (batch.isFirst && resumed === 0) requireColumns(batch, task);
    const changes = await changesOf(batch, task, seen);
    if (batch.read <= resumed) continue;
    task.onTaken?.(changes.taken.flatMap((change) => ("record" in change ? [change.record] : [])));
    rejected += new Set(changes.rejects.map(({ line }) => line)).size;
    noted = addNotes(noted, changes.notes);
    reasons.add(changes.rejects);
    await appendRejects(
      rejectsFile,
      [...changes.rejects, ...toldNotes(changes.notes)].map((told) => ({
        ...told,
        ...lines.within(told.line),
      })),
    );
    const isRefused = mode === "full" && rejected > 0;
    if (isRefused && hasStaged) {
      await store.builds.discard(resource, source.name);
      hasStaged = false;
    }
    const counts = { read: read - resumed, rejected };
    requireFewRejects(counts, task.rejectLimit, { file: rejectsFile, reasons });
    // The rest of the set is read for its rejects alone.
    if (isRefused) {
      task.onProgress(bytes, { read, staged: 0, rejected, noted });
      continue;
    }
    const cursor = formatFileCursor({
      file,
      entries: batch.read,
      line: batch.entries.at(-1)?.line ?? 0,
      done: batch.isLast,
    });
    const options: BatchOptions = { cursor, after, fullSet: mode === "full" ? partOf(batch) : undefined };
    staged += (await store.builds.stage(resource, source.name, changes.taken, options)).changes;
    after = cursor;
    hasStaged = true;
    task.onProgress(bytes, { read, staged, rejected, noted });
  }
  if (read === 0) throw new IngestError(`${input.name} holds nothing`);
  if (mode === "full" && rejected > 0)
    throw new RecordsRejected(notWhole(rejected, read, task), reasons.found());
  return { read, staged, rejected, noted, resumed, reasons: reasons.found() };
}

/** @throws {IngestError} if a CSV file has columns that are no fields: each of its records would be rejected */
function requireColumns({ entries }: IngestBatch, { store, resource, input, format, mode }: Ingest): void {
  if (mode !== "delete" && format === "csv")
    requireKnownColumns(entries, store.catalog.resource(resource), input.name);
}

function entriesOf(
  { store, format, mode, resource, mapping }: Ingest,
  content: FileContent,
): AsyncIterable<Entry> {
  return mode === "delete"
    ? readKeys(content)
    : mappedEntries(content, { format, catalog: store.catalog, resource, mapping });
}

/** Returns a suffix for the cursor, so that the file is read again if the rounded fields, the mapping, or what the catalog accepts has changed. */
function choiceMark({ store, resource, source, mode, rounding, mapping }: Ingest): string {
  if (mode === "delete") return "";
  const accepted = acceptedValuesHash(store.catalog, resource, source);
  if (rounding === roundingOf(store.catalog, resource) && mapping === undefined) return `_${accepted}`;
  const hash = createHash("sha256")
    .update(accepted)
    .update([...rounding].sort().join());
  if (mapping !== undefined) hash.update(mapping.sha256);
  return `_${hash.digest("hex").slice(0, 16)}`;
}

/** Reads one key per line. */
async function* readKeys(content: AsyncIterable<Uint8Array>): AsyncGenerator<Entry> {
  for await (const { line, text } of readLines(content)) yield { line, record: { key: text.trim() } };
}

type Changes = {
  readonly taken: readonly Change[];
  readonly rejects: readonly Reject[];
  readonly notes: readonly Note[];
};

async function changesOf({ entries }: IngestBatch, task: Ingest, seen: Set<string>): Promise<Changes> {
  const { store, resource, source, crosswalk, mode, rounding } = task;
  if (mode !== "delete") {
    const check = { store, resource, source, crosswalk, rounding, seen };
    const { records, rejects, notes } = await checkBatch(entries, check);
    return { taken: records, rejects, notes };
  }
  const keys = entries.map((entry) => ({
    line: entry.line,
    key: "record" in entry ? String(entry.record["key"]) : "",
  }));
  const foreign = await foreignKeys(
    store,
    resource,
    source,
    keys.map(({ key }) => key),
  );
  return {
    taken: keys
      .filter(({ key }) => !foreign.has(key))
      .map(({ key }) => ({ resource, datasetId: source.datasetId, removed: [key] })),
    rejects: keys
      .filter(({ key }) => foreign.has(key))
      .flatMap(({ line, key }) => {
        const described = store.catalog.resource(resource);
        return rejectsOf(line, [{ field: null, code: "foreign_key" }], described, { [described.key]: key });
      }),
    notes: [],
  };
}

function partOf({ isFirst, isLast }: IngestBatch): BatchOptions["fullSet"] {
  if (isFirst) return isLast ? "whole" : "begins";
  return isLast ? "ends" : undefined;
}

/** A publication deletes every record that a full set does not have, so one with rejected records would delete those. */
const notWhole = (rejected: number, read: number, { rejects }: Ingest): string =>
  `${rejected} of ${read} records are rejected, see ${rejects}: a full set must be whole, and nothing of it is staged; put them right, or ingest it without --full, which removes nothing`;
