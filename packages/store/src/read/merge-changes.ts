import { compareCodePoints } from "../code-points.ts";
import type { RecordAssembler, ShownRecord } from "../record/assemble.ts";

/** A version of a record, with its key. */
export type KeyedVersion = ShownRecord & { readonly key: string };

/** Versions in the order of their keys. */
export type ReadVersions = {
  readonly versions: readonly KeyedVersion[];
  /** True if versions of later keys were not read. */
  readonly isCut: boolean;
};

/** Changes of keys that follow each other. See `ChangedPage`. */
export type MergedChanges = {
  readonly keys: readonly string[];
  readonly removed: readonly string[];
  readonly last: string | undefined;
  readonly more: boolean | undefined;
  readonly read: string | undefined;
};

/**
 * Merges the versions that ended and those that began by their keys (a sort-merge join), and assembles the records that are new or changed.
 *
 * @param top maximum number of changes
 */
export function mergeChanges(
  ended: ReadVersions,
  began: ReadVersions,
  top: number,
  assembler: RecordAssembler,
): MergedChanges {
  const ends = [ended, began].flatMap(({ versions, isCut }) => (isCut ? [versions.at(-1)?.key ?? ""] : []));
  const read = ends.toSorted(compareCodePoints)[0];
  const [keys, removed]: [string[], string[]] = [[], []];
  let last: string | undefined;
  for (const { key, was, is } of pairsOf(ended.versions, began.versions)) {
    if (read !== undefined && compareCodePoints(key, read) > 0) break;
    const isFull = keys.length + removed.length === top;
    if (is !== undefined && !append(assembler, is, was, isFull)) continue;
    if (isFull) return { keys, removed, last, more: true, read };
    (is === undefined ? removed : keys).push(key);
    last = key;
  }
  return { keys, removed, last, more: read === undefined ? false : undefined, read };
}

/** Appends a record that is new or has changed; returns true if it is. @param isProbe true to append nothing */
function append(
  assembler: RecordAssembler,
  is: KeyedVersion,
  was: KeyedVersion | undefined,
  isProbe: boolean,
): boolean {
  if (was !== undefined && isAlike(is, was)) return false;
  if (was !== undefined) return isProbe ? assembler.isChanged(is, was) : assembler.addChanged(is, was);
  if (!isProbe) assembler.add(is.text, is.members, is.dataset, is.computed);
  return true;
}

/** True if two versions are stored alike, so that they show the same. */
const isAlike = (is: KeyedVersion, was: KeyedVersion): boolean =>
  is.dataset === was.dataset &&
  is.members === was.members &&
  is.computed === was.computed &&
  Buffer.compare(is.text, was.text) === 0;

type Pair = {
  readonly key: string;
  readonly was: KeyedVersion | undefined;
  readonly is: KeyedVersion | undefined;
};

/** Yields the versions of each key, in order. */
function* pairsOf(ended: readonly KeyedVersion[], began: readonly KeyedVersion[]): Generator<Pair> {
  for (let [i, j] = [0, 0]; i < ended.length || j < began.length; ) {
    const [was, is] = [ended[i], began[j]];
    const order = was === undefined ? 1 : is === undefined ? -1 : compareCodePoints(was.key, is.key);
    if (order <= 0) i++;
    if (order >= 0) j++;
    const key = (order <= 0 ? was : is)?.key ?? "";
    yield { key, was: order <= 0 ? was : undefined, is: order >= 0 ? is : undefined };
  }
}
