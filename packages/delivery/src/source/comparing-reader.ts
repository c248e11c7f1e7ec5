import type { Scope } from "@cadastre/entitlement";
import { compareCodePoints, type KeyChange, type KeyedLine, mergeStates } from "@cadastre/store/changes";
import type { DatasetReader } from "./dataset-reader.ts";
import { changeBatches } from "./delta.ts";
import type { ExportBatch, ExportRead } from "./export-source.ts";

type ReadLines = (request: ExportRead) => AsyncIterable<KeyedLine>;

/**
 * Wraps a reader so that it finds changes by reading both states in full and comparing them. For datasets that are small, or that keep
 * no record of changes. A delta's rows are read before its removals, so the keys that are gone are kept from the one for the other.
 *
 * @param keyField column of the key, whose values are texts
 * @param linesOf reads all records of a state, in code point order of their keys
 */
export function comparingReader(reader: DatasetReader, keyField: string, linesOf: ReadLines): DatasetReader {
  let kept: Gone | undefined;
  /** Yields the keys that are gone, found anew unless the rows of the same delta were just read. */
  async function* gone(request: ExportRead, since: number): AsyncGenerator<KeyChange> {
    const known = kept;
    kept = undefined;
    if (known !== undefined && isOf(known, request, since)) {
      for (const key of known.keys) yield removalOf(key);
      return;
    }
    // A removal needs only the key.
    for await (const change of compared({ ...request, columns: [keyField] }, since, linesOf))
      if (change.is === undefined) yield change;
  }
  async function* came(request: ExportRead, since: number): AsyncGenerator<KeyChange> {
    const keys: string[] = [];
    for await (const change of compared(request, since, linesOf))
      if (change.is === undefined) keys.push(change.key);
      else yield change;
    const { scope, checkpoint } = request;
    kept = { scope, checkpoint, since, keys };
  }
  const read = ({ changes, ...request }: ExportRead): AsyncIterable<ExportBatch> => {
    if (changes === undefined) return reader.read(request);
    const { since, content } = changes;
    const found = content === "rows" ? came(request, since) : gone(request, since);
    return changeBatches(after(request.from, found), { keyField, columns: request.columns, content });
  };
  return { ...reader, read };
}

/** Keys that are gone between two checkpoints, for a scope. */
type Gone = Pick<ExportRead, "scope" | "checkpoint"> & {
  readonly since: number;
  readonly keys: readonly string[];
};

const isOf = (gone: Gone, request: { readonly scope: Scope; readonly checkpoint: number }, since: number) =>
  gone.scope === request.scope && gone.checkpoint === request.checkpoint && gone.since === since;

const removalOf = (key: string): KeyChange => ({ key, was: "", is: undefined });

function compared(request: ExportRead, since: number, linesOf: ReadLines): AsyncIterable<KeyChange> {
  const stateAt = (checkpoint: number) => linesOf({ ...request, checkpoint, from: null });
  return mergeStates(stateAt(since), stateAt(request.checkpoint));
}

/** Skips the changes up to and including the key `from`: among changes, a position is the key of the record before it. */
async function* after(from: string | null, changes: AsyncIterable<KeyChange>): AsyncGenerator<KeyChange> {
  for await (const change of changes)
    if (from === null || compareCodePoints(change.key, from) > 0) yield change;
}
