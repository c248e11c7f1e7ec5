import type { Row } from "@cadastre/odata";
import { codecOf } from "@cadastre/odata/run";
import { shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";

const instants = codecOf("Edm.DateTimeOffset");

/** Returns the `ModificationTimestamp` of a record in whole milliseconds since 1970. Undefined if it is missing or invalid. */
export function modifiedOf({ ModificationTimestamp }: Row): number | undefined {
  const instant = instants.fromJson(ModificationTimestamp);
  return instant === undefined ? undefined : Date.parse(String(instants.toJson(instant)));
}

/**
 * Returns the latest `ModificationTimestamp` of the records in milliseconds since 1970. Records without one are skipped here; they are
 * rejected later.
 *
 * @param since lower bound; null: none
 * @throws {FeedError} if the records are not sorted, or one is earlier than `since`: resuming an interrupted replication would skip records
 */
export function latestOf(records: readonly Row[], since: number | null, url: URL): number | null {
  let latest = since;
  for (const record of records) {
    const modified = modifiedOf(record);
    if (modified === undefined) continue;
    if (latest !== null && modified < latest)
      throw new FeedError(
        `${shown(url)} does not keep to \`$filter\` and \`$orderby\` by ModificationTimestamp`,
      );
    latest = modified;
  }
  return latest;
}

/** Returns the latest `ModificationTimestamp` of the records, which are in any order, and `since`. */
export function latestAnyOrder(records: readonly Row[], since: number | null): number | null {
  const times = records.map(modifiedOf).filter((time) => time !== undefined);
  return times.reduce<number | null>((latest, time) => Math.max(latest ?? time, time), since);
}
