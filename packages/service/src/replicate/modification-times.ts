import { codecOf, type Row } from "@cadastre/odata";
import { shown } from "./feed.ts";
import { FeedError } from "./feed-error.ts";

const instants = codecOf("Edm.DateTimeOffset");
const instantOf = instants.fromJson as (json: unknown) => { readonly picoseconds: bigint } | undefined;

/**
 * The time at which the last of the records was modified, none of them before `since`. A record without a time has no
 * say: it is rejected.
 *
 * @throws {FeedError} if they are in another order, for a replication that was cut off would leave some out.
 */
export function latestOf(records: readonly Row[], since: string | null, url: URL): string | null {
  let latest = since === null ? undefined : instantOf(since);
  for (const { ModificationTimestamp } of records) {
    const modified = instantOf(ModificationTimestamp);
    if (modified === undefined) continue;
    if (latest !== undefined && modified.picoseconds < latest.picoseconds)
      throw new FeedError(
        `${shown(url)} does not keep to \`$filter\` and \`$orderby\` by ModificationTimestamp`,
      );
    latest = modified;
  }
  return latest === undefined ? null : String(instants.toJson(latest));
}
