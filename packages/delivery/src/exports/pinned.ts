import type { Manifest, ManifestDataset } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import { type OutputProfile, profileOf } from "../profiles/profile.ts";
import type { DeliverySchema } from "../profiles/schema.ts";
import type { ScopeMembers } from "./scope-coverage.ts";

/** What a delivery's manifest will state beside what the ledger knows: settled when the delivery is created. */
export type Pinned = {
  readonly profile: OutputProfile;
  readonly schema: DeliverySchema;
  /** As the customer sees them: the numbers themselves would count changes that are not the customer's. */
  readonly window: Pick<Manifest["window"], "fromCheckpoint" | "toCheckpoint">;
  /** What the customer was granted. */
  readonly scope: ScopeMembers;
  /** What its records are made by, if others follow it: see `ExportSource.basis`. */
  readonly basis: string | null;
  readonly sources: NonNullable<ManifestDataset["sources"]>;
  readonly attribution: Manifest["attribution"];
};

/** The text that {@link readPinned} reads. */
export const pinnedText = (pinned: Pinned): string => JSON.stringify(pinned);

/** How the customer knows the end of a delivery's window. */
export const windowEndOf = (text: string): string => (JSON.parse(text) as Pinned).window.toCheckpoint;

/** What a customer was granted when a delivery was created. */
export const grantedBy = (text: string): ScopeMembers => (JSON.parse(text) as Pinned).scope;

/**
 * What was settled, as far as it still can be kept.
 *
 * @throws {DeliveryError} `profile_changed` if this program would write other bytes than the one that settled it
 */
export function readPinned(text: string): Pinned {
  const pinned = JSON.parse(text) as Pinned;
  const { id, version, domain, fields, format, compression, partBytes, removalReason } = pinned.profile;
  const now = profileOf({ id, version, domain, fields, format, compression, partBytes, removalReason });
  if (now.sha256 !== pinned.profile.sha256) throw new DeliveryError("profile_changed", now.encoder);
  return pinned;
}
