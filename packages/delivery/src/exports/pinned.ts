import type { Manifest, ManifestDataset } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import { type OutputProfile, profileOf } from "../profiles/profile.ts";
import type { DeliverySchema } from "../profiles/schema.ts";
import type { ScopeMembers } from "./scope-coverage.ts";

/** Contents of a delivery's manifest that the ledger has no columns for. They are fixed when the delivery is created. */
export type Pinned = {
  readonly profile: OutputProfile;
  readonly schema: DeliverySchema;
  /** Public names of the checkpoints. The numbers themselves would reveal how many changes happened outside the customer's scope. */
  readonly window: Pick<Manifest["window"], "fromCheckpoint" | "toCheckpoint">;
  /** The scope that the delivery was created under. */
  readonly scope: ScopeMembers;
  /** The value of `ExportSource.basis` that the records are made with, if later deltas build on this delivery; null otherwise. */
  readonly basis: string | null;
  readonly sources: NonNullable<ManifestDataset["sources"]>;
  readonly attribution: Manifest["attribution"];
};

/** Serializes pinned contents for {@link readPinned}. */
export const pinnedText = (pinned: Pinned): string => JSON.stringify(pinned);

/** Returns the public name of the checkpoint at which a delivery's window ends. */
export const windowEndOf = (text: string): string => (JSON.parse(text) as Pinned).window.toCheckpoint;

/** Returns the scope that a delivery was created under. */
export const grantedBy = (text: string): ScopeMembers => (JSON.parse(text) as Pinned).scope;

/**
 * Parses pinned contents.
 *
 * @throws {DeliveryError} `profile_changed` if this program would write other bytes for the profile than the one that created the delivery
 */
export function readPinned(text: string): Pinned {
  const pinned = JSON.parse(text) as Pinned;
  const { id, version, domain, fields, format, compression, partBytes, removalReason } = pinned.profile;
  const now = profileOf({ id, version, domain, fields, format, compression, partBytes, removalReason });
  if (now.sha256 !== pinned.profile.sha256) throw new DeliveryError("profile_changed", now.encoder);
  return pinned;
}
