import { type ChainLink, type Manifest, readManifest, requireFollows } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import type { LoadState } from "./target.ts";

/** Ledger entry of a delivery that was loaded. */
export type LedgerEntry = {
  readonly generation: number;
  readonly sequence: number;
  readonly sha256: string;
  /** Canonical text of the manifest. */
  readonly manifest: string;
  /** Instant of the load; of a folder, when its manifest was written. */
  readonly loadedAt: string;
};

/** Returns the ledger's key, beside generation and sequence: the subscription, or the delivery if there is no subscription. */
export const streamOf = ({ subscriptionId, deliveryId }: Manifest): string => subscriptionId ?? deliveryId;

/**
 * Tells if a delivery is new, given the deliveries of its stream that were loaded before.
 *
 * @throws {ClientError | ManifestError} if it contradicts them, or does not follow the last one
 */
export function standingAmong(delivery: ChainLink, entries: readonly LedgerEntry[]): LoadState {
  const { generation, sequence } = delivery.manifest;
  const same = entries.find((entry) => entry.generation === generation && entry.sequence === sequence);
  if (same !== undefined) {
    if (same.sha256 !== delivery.sha256) throw new ClientError("ledger_conflict");
    return "done";
  }
  const last = lastOf(entries);
  if (last !== undefined) requireFollows(linkOf(last), delivery);
  else if (delivery.manifest.kind === "delta") throw new ClientError("seed_not_loaded");
  return "new";
}

/** Returns the last delivery of a stream that was loaded. */
export const lastOf = (entries: readonly LedgerEntry[]): LedgerEntry | undefined =>
  entries.toSorted((a, b) => a.generation - b.generation || a.sequence - b.sequence).at(-1);

export const linkOf = ({ manifest, sha256 }: LedgerEntry): ChainLink => ({
  manifest: readManifest(new TextEncoder().encode(manifest)),
  sha256,
});
