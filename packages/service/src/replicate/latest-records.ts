import { createHash } from "node:crypto";
import type { Row } from "@cadastre/odata";
import { modifiedOf } from "./modification-times.ts";

/**
 * Records with the latest `ModificationTimestamp` that a run has staged, by their hashes. The next run asks for records modified at or
 * after that time, so the feed gives them again.
 */
export type LatestRecords = {
  /** Milliseconds since 1970. */
  readonly modified: number;
  readonly hashes: readonly string[];
};

/** Maximum number of hashes. Further records are staged again. */
const maxHashes = 1000;

const hashOf = (record: Row): string =>
  createHash("sha256").update(JSON.stringify(record)).digest("base64url").slice(0, 22);

/** Returns the records that are not among those that were staged before. */
export function withoutStaged(records: readonly Row[], before: LatestRecords | undefined): readonly Row[] {
  if (before === undefined) return records;
  const known = new Set(before.hashes);
  return records.filter((record) => modifiedOf(record) !== before.modified || !known.has(hashOf(record)));
}

/** Adds records that were staged. */
export function addLatest(
  before: LatestRecords | undefined,
  staged: readonly Row[],
): LatestRecords | undefined {
  let latest = before;
  for (const record of staged) {
    const modified = modifiedOf(record);
    if (modified === undefined || (latest !== undefined && modified < latest.modified)) continue;
    const others = latest?.modified === modified ? latest.hashes : [];
    if (others.length < maxHashes) latest = { modified, hashes: [...others, hashOf(record)] };
  }
  return latest;
}
