import { codecOf, type Row } from "@cadastre/odata";
import { shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";

const instants = codecOf("Edm.DateTimeOffset");

/** When a record was modified, in whole milliseconds since 1970; undefined where it does not say. */
function modifiedOf({ ModificationTimestamp }: Row): number | undefined {
  const instant = instants.fromJson(ModificationTimestamp);
  return instant === undefined ? undefined : Date.parse(String(instants.toJson(instant)));
}

/**
 * When the last of the records was modified, none of them before `since`, in milliseconds since 1970. A record that does
 * not say has no part in it: it is rejected.
 *
 * @throws {FeedError} if they are in another order, for a replication that was cut off would leave some out.
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
