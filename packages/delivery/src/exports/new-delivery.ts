import type { Scope } from "@cadastre/entitlement";
import { DeliveryError } from "../errors.ts";
import type { Delivery, NewDelivery } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import { requireNarrowed } from "../profiles/narrowed-profile.ts";
import { deliveredDatasets, type OutputProfile, showsProfile } from "../profiles/profile.ts";
import { manifestSchema, schemaDocument } from "../profiles/schema-document.ts";
import type { ExportSource } from "../source/export-source.ts";
import { uuidBytes, uuidOf } from "../uuid.ts";
import { documentEntry, documentsOf } from "./delivery-documents.ts";
import {
  type ApiKeyCaller,
  exportFingerprint,
  type FileExportRequest,
  isKey,
  type PushTargets,
  resolveProfile,
} from "./export-request.ts";
import { exportStateOf } from "./past-state.ts";
import { membersOf, type Pinned, pinnedText } from "./pinned.ts";

/** Number of random bytes in the public name of a checkpoint. */
const checkpointBytes = 16;

/** The sources and disclaimers that a manifest names. */
export type DeliveryCredits = Pick<Pinned, "sources" | "attribution"> & {
  /** Texts of the disclaimers in `attribution`, each once, so that they can be delivered. By default they are not. */
  readonly disclaimers?: readonly string[];
};

/** Dependencies for creating a delivery. */
export type DeliveryMeans = {
  readonly source: Pick<
    ExportSource,
    "bindFilter" | "checkpoint" | "columns" | "dictionaryVersion" | "stateAt"
  >;
  readonly random: (bytes: number) => Uint8Array;
  /** Time after its creation during which a delivery may be fetched, in milliseconds. */
  readonly retention: number;
  readonly creditsOf: (scope: Scope) => Promise<DeliveryCredits> | DeliveryCredits;
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
  /** Time of an earlier state, in milliseconds since 1970; by default the delivery is of the present one. */
  readonly asOf?: number | undefined;
  /** Hash of the schema document that the delivery's generation is pinned to; null for the current form. */
  readonly schemaSha256: string | null;
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
  { fromName, basis, schemaSha256, asOf, ...purpose }: DeliveryPurpose,
  at: number,
): Promise<NewDelivery> {
  const datasets = deliveredDatasets(source, scope, profile);
  if (datasets.length === 0) throw new DeliveryError("entitlement_denied");
  const schema = schemaDocument(profile, datasets, schemaSha256 ?? undefined);
  const { disclaimers = [], ...credits } = await creditsOf(scope);
  const isProfileShown = showsProfile(source, scope, profile);
  const documents = documentsOf({ profile, isProfileShown, schema, disclaimers }, scope);
  const pinned: Pinned = {
    profile,
    schema: manifestSchema(profile, schema, source),
    window: {
      fromCheckpoint: fromName,
      toCheckpoint: `c1:${Buffer.from(random(checkpointBytes)).toString("hex")}`,
    },
    ...(asOf === undefined ? {} : { asOf }),
    scope: membersOf(scope),
    basis,
    ...credits,
    documents: documents.map(documentEntry),
  };
  return {
    ...purpose,
    id: uuidOf(at, random(uuidBytes)),
    customer: scope.customer,
    domain: profile.domain,
    entitlementVersion: scope.version,
    scopeSha256: scope.scopeSha256,
    pinned: pinnedText(pinned),
    documents,
    created: at,
    expires: at + retention,
  };
}

/** Limit on a customer's open exports, if the entitlement sets none. */
export const openExports = 4;

export type CreationOptions = DeliveryMeans & {
  readonly ledger: Pick<DeliveryLedger, "create" | "endingAt" | "replay">;
  readonly profiles: readonly OutputProfile[];
  readonly targets?: PushTargets;
};

/**
 * Creates an export of everything that the caller is granted of a domain. If the same request (by its idempotency key) has created an
 * export before, returns that one without checking the request again.
 */
export async function createExport(
  options: CreationOptions,
  { scope }: ApiKeyCaller,
  request: FileExportRequest,
  at: number,
): Promise<{ readonly delivery: Delivery; readonly replayed: boolean }> {
  if (!isKey(request.idempotencyKey))
    throw new DeliveryError("invalid_request", undefined, { target: "idempotencyKey" });
  const asks = { operation: "export", key: request.idempotencyKey, fingerprint: exportFingerprint(request) };
  const replayed = await options.ledger.replay(scope.customer, asks);
  if (replayed !== undefined) return { delivery: replayed, replayed: true };
  const whole = await resolveProfile(options.profiles, options.targets, scope, request);
  const profile = requireNarrowed(options.source, scope, whole, request);
  const { checkpoint, asOf } = await exportStateOf(options, scope.customer, request.asOf, at);
  const purpose = {
    kind: "snapshot",
    mode: request.deliveryMode,
    destination: request.destinationId ?? null,
    subscription: null,
    generation: 1,
    sequence: 0,
    previous: null,
    fromCheckpoint: null,
    fromName: null,
    basis: null,
    schemaSha256: null,
    toCheckpoint: checkpoint,
    asOf,
  } as const;
  const created = await newDelivery(options, scope, profile, purpose, at);
  const most = scope.limits.open_exports ?? openExports;
  return options.ledger.create(created, asks, most);
}
