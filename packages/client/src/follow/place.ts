import { type ChainLink, type Manifest, ManifestError } from "@cadastre/manifest";

/** Where a delivery stands in its subscription. */
type Place = Pick<Manifest, "generation" | "sequence">;

/** A delivery of a subscription, as a service or a bucket lists it. */
export type Announced = Place & {
  readonly id: string;
  /** Whether it is there to be loaded. */
  readonly isComplete: boolean;
};

/** Below zero where `a` comes before `b`. */
const compare = (a: Place, b: Place): number => a.generation - b.generation || a.sequence - b.sequence;

/** What follows the last delivery that was loaded. */
export type Following = {
  /** The seed of the last generation that has one, or the next delta; undefined: none was listed. */
  readonly next: Announced | undefined;
  /** Whether any was listed that comes later than the last one. */
  readonly isBehind: boolean;
};

/**
 * What to load where `last` was the last delivery. A seed takes the place of all that comes before it.
 *
 * @throws {ManifestError} `chain_fork`: two deliveries have one place, or the place of the last one; `chain_rollback`: all come
 * before the last one
 */
export function following(announced: readonly Announced[], last: ChainLink | undefined): Following {
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
  announced: readonly Announced[],
  complete: readonly Announced[],
  { manifest }: ChainLink,
): void {
  const same = complete.find((one) => compare(one, manifest) === 0);
  if (same !== undefined && same.id !== manifest.deliveryId) throw new ManifestError("chain_fork");
  if (announced.length > 0 && announced.every((one) => compare(one, manifest) < 0))
    throw new ManifestError("chain_rollback");
}
