import type { CopyState } from "../load/copy-state.ts";
import type { RemoteDelivery } from "./subscriptions.ts";

/** Position of a delivery in its subscription. */
type Position = Pick<RemoteDelivery, "generation" | "sequence">;

const compare = (a: Position, b: Position): number => a.generation - b.generation || a.sequence - b.sequence;

/** Returns the last complete delivery of a list. */
export const lastComplete = (deliveries: readonly RemoteDelivery[]): RemoteDelivery | undefined =>
  deliveries
    .filter(({ status }) => status === "complete")
    .toSorted(compare)
    .at(-1);

/** Returns the last delivery of a list that was acknowledged. */
export const lastAcknowledged = (deliveries: readonly RemoteDelivery[]): RemoteDelivery | undefined =>
  deliveries
    .filter(({ acknowledgedAt }) => typeof acknowledgedAt === "string")
    .toSorted(compare)
    .at(-1);

/**
 * Returns the number of complete deliveries that a copy has still to load. A later seed replaces all before it.
 *
 * @param copy the last loaded delivery; undefined if none was loaded
 */
export function deliveriesBehind(
  deliveries: readonly RemoteDelivery[],
  copy: Pick<CopyState, "generation" | "sequence"> | undefined,
): number {
  const later = deliveries
    .filter(({ status }) => status === "complete")
    .filter((one) => copy === undefined || compare(one, copy) > 0)
    .toSorted(compare);
  const seed = later.findLastIndex(({ sequence }) => sequence === 0);
  return later.length - Math.max(0, seed);
}
