import type { ExportBatch, ExportChanges, ExportColumn } from "./export-source.ts";
import { batchesOf, type KeyedLine } from "./keyed-lines.ts";
import { type KeyChange, mergeStates } from "./merge.ts";

/** Column of a removal beside its key. */
export const reasonColumn: ExportColumn = {
  name: "removalReason",
  type: "string",
  collection: false,
  nullable: false,
};

/** What removals of a dataset have: the key and, where a profile says so, why. */
export const removalColumns = (
  keyField: string,
  columns: readonly ExportColumn[],
  withReason: boolean,
): readonly ExportColumn[] => [
  ...columns.filter(({ name }) => name === keyField),
  ...(withReason ? [reasonColumn] : []),
];

/**
 * Why a record is not shown any more. `deleted`: nothing is told of whether it is there for others. `merged`: what it stood
 * for goes by another key, which is among the rows.
 */
export type RemovalReason = "deleted" | "merged";

export type DeltaRequest = {
  readonly keyField: string;
  /** Of the rows, or of the removals. */
  readonly columns: readonly string[];
  readonly content: ExportChanges["content"];
  /** Of keys that are removed; by default they are `deleted`. */
  readonly reasonOf?: (key: string) => RemovalReason;
};

/**
 * What is to be delivered of the difference between two states, by key: rows that came or are other ones, or keys that are not
 * there any more. Of the states only what may differ need be given: a line that both have is no change.
 */
export const deltaBatches = (
  was: AsyncIterable<KeyedLine>,
  is: AsyncIterable<KeyedLine>,
  request: DeltaRequest,
): AsyncIterable<ExportBatch> =>
  batchesOf((request.content === "rows" ? rows : removals)(mergeStates(was, is), request));

async function* rows(changes: AsyncIterable<KeyChange>): AsyncGenerator<KeyedLine> {
  for await (const { key, was, is } of changes) if (is !== undefined && is !== was) yield { key, line: is };
}

async function* removals(
  changes: AsyncIterable<KeyChange>,
  { keyField, columns, reasonOf = () => "deleted" }: DeltaRequest,
): AsyncGenerator<KeyedLine> {
  const withReason = columns.includes(reasonColumn.name);
  for await (const { key, is } of changes) {
    if (is !== undefined) continue;
    const reason = withReason ? { [reasonColumn.name]: reasonOf(key) } : {};
    yield { key, line: JSON.stringify({ [keyField]: key, ...reason }) };
  }
}
