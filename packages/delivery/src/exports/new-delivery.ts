import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import type { NewDelivery } from "../ledger/delivery.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { deliveredDatasets, schemaOf } from "../profiles/schema.ts";
import type { ExportSource } from "../source/export-source.ts";
import { uuidBytes, uuidOf } from "../uuid.ts";
import { type Pinned, pinnedText } from "./pinned.ts";
import { membersOf } from "./scope-coverage.ts";

/** Number of random bytes in the public name of a checkpoint. */
const checkpointBytes = 16;

/** Dependencies for creating a delivery. */
export type DeliveryMeans = {
  readonly source: Pick<ExportSource, "checkpoint" | "columns">;
  readonly random: (bytes: number) => Uint8Array;
  /** Time after its creation during which a delivery may be fetched, in milliseconds. */
  readonly retention: number;
  /** Returns the sources and attribution that the manifest names. */
  readonly creditsOf: (
    scope: Scope,
  ) => Promise<Pick<Pinned, "sources" | "attribution">> | Pick<Pinned, "sources" | "attribution">;
};

/** Purpose of a delivery: an export on request, or a step of a subscription. */
export type DeliveryPurpose = Pick<
  NewDelivery,
  | "kind"
  | "mode"
  | "destination"
  | "subscription"
  | "generation"
  | "sequence"
  | "previous"
  | "fromCheckpoint"
  | "toCheckpoint"
> & {
  /** Public name of the checkpoint at which the window starts. */
  readonly fromName: string | null;
  /** The value of `ExportSource.basis` that the records must be made with; null if any will do. */
  readonly basis: string | null;
};

/**
 * Returns a new delivery with everything that its manifest will state, except the parts.
 *
 * @param at milliseconds since 1970
 * @throws {DeliveryError} `entitlement_denied` if the scope shows no dataset of the profile
 */
export async function newDelivery(
  { source, random, retention, creditsOf }: DeliveryMeans,
  scope: Scope,
  profile: OutputProfile,
  { fromName, basis, ...purpose }: DeliveryPurpose,
  at: number,
): Promise<NewDelivery> {
  const datasets = deliveredDatasets(source, scope, profile);
  if (datasets.length === 0) throw new DeliveryError("entitlement_denied");
  const pinned: Pinned = {
    profile,
    schema: schemaOf(profile, datasets),
    window: {
      fromCheckpoint: fromName,
      toCheckpoint: `c1:${Buffer.from(random(checkpointBytes)).toString("hex")}`,
    },
    scope: membersOf(scope),
    basis,
    ...(await creditsOf(scope)),
  };
  return {
    ...purpose,
    id: uuidOf(at, random(uuidBytes)),
    customer: scope.customer,
    domain: profile.domain,
    entitlementVersion: scope.version,
    scopeSha256: scope.scopeSha256,
    pinned: pinnedText(pinned),
    created: at,
    expires: at + retention,
  };
}
