import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveredDataset, OutputProfile } from "../profiles/profile.ts";
import { removalColumns } from "../source/delta.ts";
import type {
  ExportBatch,
  ExportChanges,
  ExportColumn,
  ExportRead,
  ExportSource,
} from "../source/export-source.ts";

/** A content of a delivery: rows or removals of one dataset, in consecutive parts. */
export type PartsOf = {
  readonly dataset: string;
  /** Name of the key column, whose values the manifest states for the first and the last record. */
  readonly keyField: string;
  readonly columns: readonly ExportColumn[];
  /** Undefined: all records. */
  readonly changes: ExportChanges | undefined;
};

/** Returns the contents of a delivery in the order of its parts. A delta has the rows of each dataset, then its removals. */
export const contentsOf = (
  { fromCheckpoint: since }: Pick<Delivery, "fromCheckpoint">,
  datasets: readonly DeliveredDataset[],
  { removalReason }: Pick<OutputProfile, "removalReason">,
): readonly PartsOf[] =>
  datasets.flatMap(({ name: dataset, keyField, columns }): readonly PartsOf[] => {
    if (since === null) return [{ dataset, keyField, columns, changes: undefined }];
    const removed = removalColumns(keyField, columns, removalReason);
    return [
      { dataset, keyField, columns, changes: { since, content: "rows" } },
      { dataset, keyField, columns: removed, changes: { since, content: "removals" } },
    ];
  });

/** Start of a part: `skip` records after the position `from` of the source. */
export type PartStart = { readonly from: string | null; readonly skip: number };

/** Start of the first part of a dataset. */
export const datasetStart: PartStart = { from: null, skip: 0 };

const lineFeed = 0x0a;

/**
 * Reads the records of one part as JSON lines: from its start to the first record with which they reach `target` bytes, or to the end
 * of the dataset. The result does not depend on the size of the source's batches.
 */
export class PartText {
  /** Number of records read so far. */
  rowCount = 0;
  /** Start of the next part, once all is read; null if the dataset ended before `target` bytes were reached. */
  end: PartStart | null = null;
  /** First and last line read so far, without their line feeds. */
  firstLine = "";
  lastLine = "";
  readonly #source: ExportSource;
  readonly #read: Omit<ExportRead, "from">;
  readonly #start: PartStart;
  readonly #target: number;

  constructor(source: ExportSource, read: Omit<ExportRead, "from">, start: PartStart, target: number) {
    this.#source = source;
    this.#read = read;
    this.#start = start;
    this.#target = target;
  }

  /** Yields complete lines. Each piece is valid until the next one is requested. */
  async *read(): AsyncGenerator<Uint8Array> {
    let { from, skip } = this.#start;
    let wanted = this.#target;
    for await (const batch of this.#source.read({ ...this.#read, from })) {
      const { length, end } = batch;
      if (skip < length) {
        const { lines, rows } = pieceOf(batch, skip, wanted);
        if (this.rowCount === 0) this.firstLine = textOf(lines.subarray(0, lineEnd(lines, 0)));
        this.rowCount += rows;
        this.lastLine = textOf(lines.subarray(lines.lastIndexOf(lineFeed, -2) + 1));
        wanted -= lines.length;
        if (wanted <= 0)
          this.end = skip + rows === length ? { from: end, skip: 0 } : { from, skip: skip + rows };
        yield lines;
        if (wanted <= 0) return;
      }
      skip = Math.max(0, skip - length);
      from = end;
    }
  }
}

/** Returns the lines of a batch from the `skip`th on, to the first with which they reach `wanted` bytes, or to the end. */
function pieceOf(
  { lines, length }: Pick<ExportBatch, "lines" | "length">,
  skip: number,
  wanted: number,
): { readonly lines: Uint8Array; readonly rows: number } {
  const begin = afterLines(lines, skip);
  if (lines.length - begin < wanted) return { lines: lines.subarray(begin), rows: length - skip };
  const cut = lineEnd(lines, begin + wanted - 1);
  const rows = cut === lines.length ? length - skip : countLines(lines, begin, cut);
  return { lines: lines.subarray(begin, cut), rows };
}

/** Returns the text of a line, without its line feed. */
const textOf = (line: Uint8Array): string => Buffer.from(line).toString("utf8").trimEnd();

/** Returns the index after the line that the byte at `at` is in. */
const lineEnd = (lines: Uint8Array, at: number): number => lines.indexOf(lineFeed, at) + 1;

function afterLines(lines: Uint8Array, count: number): number {
  let at = 0;
  for (let i = 0; i < count; i++) at = lineEnd(lines, at);
  return at;
}

function countLines(lines: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at = lineEnd(lines, at)) count++;
  return count;
}
