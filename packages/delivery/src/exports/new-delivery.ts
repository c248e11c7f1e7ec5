import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import type { NewDelivery } from "../ledger/delivery.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { deliveredDatasets, schemaOf } from "../profiles/schema.ts";
import type { ExportSource } from "../source/export-source.ts";
import { uuidBytes, uuidOf } from "../uuid.ts";
import { type Pinned, pinnedText } from "./pinned.ts";
import { membersOf } from "./scope-coverage.ts";

/** Random bytes of a checkpoint's text. */
const checkpointBytes = 16;

/** What every delivery is made with. */
export type DeliveryMeans = {
  readonly source: Pick<ExportSource, "checkpoint" | "columns">;
  readonly random: (bytes: number) => Uint8Array;
  /** How long a delivery may be fetched after it was created, in milliseconds. */
  readonly retention: number;
  /** Whose records a delivery holds, for its manifest. */
  readonly creditsOf: (
    scope: Scope,
  ) => Promise<Pick<Pinned, "sources" | "attribution">> | Pick<Pinned, "sources" | "attribution">;
};

/** What a delivery is for. */
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
  /** How the customer knows where the window starts. */
  readonly fromName: string | null;
  /** What the records must be made by: see `ExportSource.basis`; null: it does not matter. */
  readonly basis: string | null;
};

/**
 * All that the manifest will state of a delivery, but for its parts.
 *
 * @param at milliseconds since 1970
 * @throws {DeliveryError} `entitlement_denied` if the scope shows nothing of what the profile delivers
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
