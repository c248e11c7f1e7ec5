import type { Product } from "@cadastre/entitlement";
import type { Delivery, DeliveryLedger, NewDelivery } from "@cadastre/store/registry";
import { membersOf } from "./covers.ts";
import { DeliveryError } from "./errors.ts";
import { type Pinned, pinnedText } from "./pinned.ts";
import type { OutputProfile } from "./profile/profile.ts";
import { deliveredDatasets, schemaOf } from "./profile/schema.ts";
import { type Caller, type ExportRequest, fingerprintOf, isPlainText, maxKeyLength } from "./request.ts";
import { asked } from "./served.ts";
import type { ExportSource } from "./source.ts";
import { uuidBytes, uuidOf } from "./uuid.ts";

/** Open exports of a customer whose entitlement does not say how many. */
const openExports = 4;

/** Random bytes of a checkpoint's text. */
const checkpointBytes = 16;

export type CreationOptions = {
  readonly ledger: Pick<DeliveryLedger, "create">;
  readonly source: Pick<ExportSource, "checkpoint" | "columns">;
  readonly profiles: readonly OutputProfile[];
  readonly random: (bytes: number) => Uint8Array;
  /** How long a delivery may be fetched after it was created, in milliseconds. */
  readonly retention: number;
  /** Whose records a delivery holds, for its manifest. */
  readonly creditsOf: (
    scope: Caller["scope"],
  ) => Promise<Pick<Pinned, "sources" | "attribution">> | Pick<Pinned, "sources" | "attribution">;
};

/** Create an export of all that the caller is granted of a domain, or find the one that the same request created before. */
export async function createExport(
  options: CreationOptions,
  caller: Caller,
  request: ExportRequest,
  at: number,
): Promise<{ readonly delivery: Delivery; readonly replayed: boolean }> {
  const profile = requireValid(options, caller, request);
  const created = await settle(options, caller, profile, at);
  const asks = { operation: "export", key: request.idempotencyKey, fingerprint: fingerprintOf(request) };
  const most = caller.scope.limits.open_exports ?? openExports;
  return asked(options.ledger.create(created, asks, most));
}

/** @throws {DeliveryError} what is wrong with the request, or not granted */
function requireValid(
  { profiles }: CreationOptions,
  { scope }: Caller,
  request: ExportRequest,
): OutputProfile {
  const { domain, deliveryMode, idempotencyKey, destinationId, profileId } = request;
  const isKey = idempotencyKey.length > 0 && idempotencyKey.length <= maxKeyLength;
  if (!isKey || !isPlainText(idempotencyKey)) throw new DeliveryError("invalid_request", "idempotencyKey");
  const own = profiles.filter((profile) => profile.domain === domain);
  if (own.length === 0) throw new DeliveryError("unknown_domain");
  const profile = profileId === undefined ? own[0] : own.find(({ id }) => id === profileId);
  if (profile === undefined) throw new DeliveryError("unknown_profile");
  const isPulled = deliveryMode === "pull";
  if (isPulled && destinationId !== undefined) throw new DeliveryError("invalid_request", "destinationId");
  if (!isPulled && destinationId === undefined) throw new DeliveryError("destination_required");
  if (!scope.products.includes(domain as Product)) throw new DeliveryError("entitlement_denied");
  if (isPulled) return profile;
  if (!scope.capabilities.includes("file_export_push")) throw new DeliveryError("capability_required");
  throw new DeliveryError("push_unavailable");
}

/** All that the manifest will state of a delivery, but for its parts. */
async function settle(
  { source, random, retention, creditsOf }: CreationOptions,
  { scope }: Caller,
  profile: OutputProfile,
  at: number,
): Promise<NewDelivery> {
  const datasets = deliveredDatasets(source, scope, profile);
  if (datasets.length === 0) throw new DeliveryError("entitlement_denied");
  const pinned: Pinned = {
    profile,
    schema: schemaOf(profile, datasets),
    window: {
      fromCheckpoint: null,
      toCheckpoint: `c1:${Buffer.from(random(checkpointBytes)).toString("hex")}`,
    },
    scope: membersOf(scope),
    ...(await creditsOf(scope)),
  };
  return {
    id: uuidOf(at, random(uuidBytes)),
    customer: scope.customer,
    domain: profile.domain,
    kind: "snapshot",
    mode: "pull",
    destination: null,
    subscription: null,
    generation: 1,
    sequence: 0,
    previous: null,
    fromCheckpoint: null,
    toCheckpoint: await source.checkpoint(),
    entitlementVersion: scope.version,
    scopeSha256: scope.scopeSha256,
    pinned: pinnedText(pinned),
    created: at,
    expires: at + retention,
  };
}
