import { type KeyChange, type KeyedLine, mergeStates } from "@cadastre/store/changes";
import type { ExportBatch, ExportChanges, ExportColumn } from "./export-source.ts";
import { exportBatches } from "./keyed-lines.ts";

/** Column of a removal that gives its reason. */
export const reasonColumn: ExportColumn = {
  name: "removalReason",
  type: "string",
  collection: false,
  nullable: false,
};

/** Returns the columns of a dataset's removals: the key and, if the profile asks for it, the reason. */
export const removalColumns = (
  keyField: string,
  columns: readonly ExportColumn[],
  withReason: boolean,
): readonly ExportColumn[] => [
  ...columns.filter(({ name }) => name === keyField),
  ...(withReason ? [reasonColumn] : []),
];

/**
 * Reason why a record is no longer shown. `deleted` does not say whether other customers still see it. `merged`: its content now goes by
 * another key, which is among the rows.
 */
export type RemovalReason = "deleted" | "merged";

export type DeltaRequest = {
  readonly keyField: string;
  /** Names of the columns of the rows, or of the removals. */
  readonly columns: readonly string[];
  readonly content: ExportChanges["content"];
};

/**
 * Compares two states by key and returns the requested side of the difference: rows that are new or changed, or keys that are gone.
 * A line that is the same in both states may be left out of both.
 */
export const deltaBatches = (
  was: AsyncIterable<KeyedLine>,
  is: AsyncIterable<KeyedLine>,
  request: DeltaRequest,
): AsyncIterable<ExportBatch> => changeBatches(mergeStates(was, is), request);

/** Returns the requested side of changes. */
export const changeBatches = (
  changes: AsyncIterable<KeyChange>,
  request: DeltaRequest,
): AsyncIterable<ExportBatch> =>
  exportBatches((request.content === "rows" ? rows : removals)(changes, request));

async function* rows(changes: AsyncIterable<KeyChange>): AsyncGenerator<KeyedLine> {
  for await (const { key, was, is } of changes) if (is !== undefined && is !== was) yield { key, line: is };
}

async function* removals(
  changes: AsyncIterable<KeyChange>,
  { keyField, columns }: DeltaRequest,
): AsyncGenerator<KeyedLine> {
  const reason = columns.includes(reasonColumn.name) ? "deleted" : undefined;
  for await (const { key, is } of changes) {
    if (is !== undefined) continue;
    yield { key, line: removalLine(keyField, key, reason) };
  }
}

/** Returns the line of a removal. */
export const removalLine = (keyField: string, key: string, reason: RemovalReason | undefined): string =>
  JSON.stringify({ [keyField]: key, ...(reason === undefined ? {} : { [reasonColumn.name]: reason }) });
