import { type ChainLink, type Manifest, ManifestError } from "@cadastre/manifest";

/** Position of a delivery in its subscription. */
type DeliveryPosition = Pick<Manifest, "generation" | "sequence">;

/** A delivery of a subscription, as a service or a bucket lists it. */
export type ListedDelivery = DeliveryPosition & {
  readonly id: string;
  /** True if it can be loaded. */
  readonly isComplete: boolean;
};

/** Returns below zero if `a` comes before `b`. */
const compare = (a: DeliveryPosition, b: DeliveryPosition): number =>
  a.generation - b.generation || a.sequence - b.sequence;

/** The delivery to load after the last one that was loaded. */
export type Following = {
  /** The latest seed, or else the next delta; undefined if neither is listed. */
  readonly next: ListedDelivery | undefined;
  /** True if a listed delivery is later than the last loaded one. */
  readonly isBehind: boolean;
};

/**
 * Finds the delivery to load after `last`. A seed replaces everything before it.
 *
 * @throws {ManifestError} `chain_fork` if two deliveries have the same generation and sequence, or another delivery has those of `last`;
 * `chain_rollback` if all listed deliveries come before `last`
 */
export function following(announced: readonly ListedDelivery[], last: ChainLink | undefined): Following {
  const complete = announced.filter(({ isComplete }) => isComplete).toSorted(compare);
  for (const [k, one] of complete.entries()) {
    const before = complete[k - 1];
    if (before !== undefined && compare(before, one) === 0) throw new ManifestError("chain_fork");
  }
  if (last !== undefined) requireLast(announced, complete, last);
  const later = complete.filter((one) => last === undefined || compare(one, last.manifest) > 0);
  const seed = later.findLast(({ sequence }) => sequence === 0);
  const delta = later.find(
    ({ generation, sequence }) =>
      generation === last?.manifest.generation && sequence === last.manifest.sequence + 1,
  );
  return { next: seed ?? delta, isBehind: later.length > 0 };
}

function requireLast(
  announced: readonly ListedDelivery[],
  complete: readonly ListedDelivery[],
  { manifest }: ChainLink,
): void {
  const same = complete.find((one) => compare(one, manifest) === 0);
  if (same !== undefined && same.id !== manifest.deliveryId) throw new ManifestError("chain_fork");
  if (announced.length > 0 && announced.every((one) => compare(one, manifest) < 0))
    throw new ManifestError("chain_rollback");
}
