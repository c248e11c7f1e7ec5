import { ManifestError } from "./errors.ts";
import type { Manifest } from "./manifest.ts";
import type { SealedManifest } from "./read.ts";

/** A manifest and its hash. */
export type ChainLink = Pick<SealedManifest, "manifest" | "sha256">;

/** What stays the same in all of a chain, and within a generation. */
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
 * Check that a delivery of a subscription may be applied where `before` was the last one: the next delta of its generation, or
 * the seed of a later one, which takes the place of all there is.
 *
 * @throws {ManifestError} `chain_fork` is a server that tells two stories: stop, and ask its operator.
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
  // A seed needs none of what lies between.
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

/** Below zero where `a` comes before `b`, zero where they are one delivery. */
const compare = (a: Place, b: Place): number => a.generation - b.generation || a.sequence - b.sequence;
