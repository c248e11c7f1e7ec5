import { ManifestError } from "./errors.ts";
import type { Manifest } from "./manifest.ts";
import type { SealedManifest } from "./read.ts";

/** A manifest and its hash. */
export type ChainLink = Pick<SealedManifest, "manifest" | "sha256">;

/** Members that are equal in the whole chain, and within a generation. */
const chainPins: readonly Pin[] = [
  ["/subscriptionId", (m) => m.subscriptionId],
  ["/customerId", (m) => m.customerId],
  ["/domain", (m) => m.domain],
];
const generationPins: readonly Pin[] = [
  ["/schema/sha256", (m) => m.schema.sha256],
  ["/profile/sha256", (m) => m.profile.sha256],
  ["/entitlement/scopeSha256", (m) => m.entitlement.scopeSha256],
];

type Pin = readonly [path: string, of: (manifest: Manifest) => string | null];

/**
 * Checks that a delivery of a subscription may be applied after `before`: it must be the next delta of its generation, or the seed of a
 * later generation, which replaces everything.
 *
 * @throws {ManifestError} `chain_fork` means that the server gives contradictory deliveries: stop, and ask its operator
 */
export function requireFollows(before: ChainLink, next: ChainLink): void {
  const { manifest: old } = before;
  const { manifest: fresh } = next;
  const foreign = changed(chainPins, old, fresh);
  if (foreign !== undefined || fresh.subscriptionId === null)
    throw new ManifestError("chain_foreign", { path: foreign ?? "/subscriptionId" });
  const step = compare(fresh, old);
  if (step === 0 && next.sha256 !== before.sha256) throw new ManifestError("chain_fork");
  if (step <= 0) throw new ManifestError("chain_rollback");
  const { previous } = fresh;
  if (previous !== null && compare(previous, old) === 0 && previous.manifestSha256 !== before.sha256)
    throw new ManifestError("chain_fork");
  // A seed does not depend on the deliveries in between.
  if (fresh.kind === "seed") {
    if (previous === null || compare(previous, old) < 0) throw new ManifestError("chain_fork");
    return;
  }
  if (previous === null || compare(previous, old) !== 0) throw new ManifestError("chain_gap");
  if (fresh.window.fromCheckpoint !== old.window.toCheckpoint) throw new ManifestError("chain_window");
  const path = changed(generationPins, old, fresh);
  if (path !== undefined) throw new ManifestError("chain_pin", { path });
}

const changed = (pins: readonly Pin[], a: Manifest, b: Manifest): string | undefined =>
  pins.find(([, of]) => of(a) !== of(b))?.[0];

type Place = Pick<Manifest, "generation" | "sequence">;

/** Returns below zero if `a` comes before `b`, zero if they are the same delivery. */
const compare = (a: Place, b: Place): number => a.generation - b.generation || a.sequence - b.sequence;
