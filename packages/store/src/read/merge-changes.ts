import { compareCodePoints } from "../code-points.ts";
import { StoreError } from "../errors.ts";
import type { RecordAssembler, ShownRecord } from "../record/assemble.ts";

/** A version of a record, with its key. */
export type KeyedVersion = ShownRecord & { readonly key: string };

/** The end of a version. */
export type EndedVersion = {
  readonly key: string;
  /** Checkpoint at which the record's current version began, if a column shows that it differs; undefined if the texts have to decide. */
  readonly other: number | undefined;
};

/** Versions in the order of their keys. */
type ReadVersions<Version> = {
  readonly versions: readonly Version[];
  /** True if versions of later keys were not read. */
  readonly isCut: boolean;
};

/** Versions that ended and those that began. */
export type ReadChanges = {
  readonly ended: ReadVersions<EndedVersion>;
  readonly began: ReadVersions<KeyedVersion>;
  /** Checkpoint of the later state; undefined for the current one. */
  readonly until: number | undefined;
};

/** Changes of keys that follow each other. See `ChangedPage`. */
export type MergedChanges = {
  readonly keys: readonly string[];
  readonly removed: readonly string[];
  readonly last: string | undefined;
  readonly more: boolean | undefined;
  readonly read: string | undefined;
};

/** Returns the keys whose versions in both states have to be compared. */
export function comparedKeys({ ended, began, until }: ReadChanges): readonly string[] {
  const keys: string[] = [];
  for (const pair of pairsOf(ended.versions, began.versions))
    if (isCompared(pair, until)) keys.push(pair.key);
  return keys;
}

/** True if there are two versions, and no column has told that the current one, if it is that of the later state, differs. */
const isCompared = ({ was, is }: Pair, until = Number.POSITIVE_INFINITY): boolean =>
  was !== undefined && is !== undefined && !(was.other !== undefined && was.other <= until);

/**
 * Merges the versions that ended and those that began by their keys (a sort-merge join), and assembles the records that are new or changed.
 *
 * @param were the earlier versions of the {@link comparedKeys}
 * @param top maximum number of changes
 * @throws {StoreError} `bookmark_expired` if one of `were` is missing
 */
export function mergeChanges(
  { ended, began, until }: ReadChanges,
  were: readonly KeyedVersion[],
  top: number,
  assembler: RecordAssembler,
): MergedChanges {
  const earlier = new Map(were.map((version) => [version.key, version]));
  const ends = [ended, began].flatMap(({ versions, isCut }) => (isCut ? [versions.at(-1)?.key ?? ""] : []));
  const read = ends.toSorted(compareCodePoints)[0];
  const [keys, removed]: [string[], string[]] = [[], []];
  let last: string | undefined;
  for (const pair of pairsOf(ended.versions, began.versions)) {
    const { key, is } = pair;
    if (read !== undefined && compareCodePoints(key, read) > 0) break;
    const isFull = keys.length + removed.length === top;
    const comparesTexts = isCompared(pair, until);
    // An earlier version is not there any more if it was pruned meanwhile.
    const version = comparesTexts ? earlier.get(key) : undefined;
    if (comparesTexts && version === undefined) throw new StoreError("bookmark_expired");
    if (is !== undefined && !append(assembler, is, version, isFull)) continue;
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
  readonly was: EndedVersion | undefined;
  readonly is: KeyedVersion | undefined;
};

/** Yields the versions of each key, in order. */
function* pairsOf(ended: readonly EndedVersion[], began: readonly KeyedVersion[]): Generator<Pair> {
  for (let [i, j] = [0, 0]; i < ended.length || j < began.length; ) {
    const [was, is] = [ended[i], began[j]];
    const order = was === undefined ? 1 : is === undefined ? -1 : compareCodePoints(was.key, is.key);
    if (order <= 0) i++;
    if (order >= 0) j++;
    const key = (order <= 0 ? was : is)?.key ?? "";
    yield { key, was: order <= 0 ? was : undefined, is: order >= 0 ? is : undefined };
  }
}
