import { DeliveryError } from "../errors.ts";
import type { Delivery } from "../ledger/delivery.ts";
import type { DeliveryLedger } from "../ledger/ledger.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { type PushTargets, resolveProfile } from "./delivery-request.ts";
import { type ApiKeyCaller, exportFingerprint, type FileExportRequest, isKey } from "./export-request.ts";
import { type DeliveryMeans, newDelivery } from "./new-delivery.ts";

/** Limit on a customer's open exports, if the entitlement sets none. */
export const openExports = 4;

export type CreationOptions = DeliveryMeans & {
  readonly ledger: Pick<DeliveryLedger, "create" | "replay">;
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
  const profile = await resolveProfile(options.profiles, options.targets, scope, request);
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
    toCheckpoint: await options.source.checkpoint(),
  } as const;
  const created = await newDelivery(options, scope, profile, purpose, at);
  const most = scope.limits.open_exports ?? openExports;
  return options.ledger.create(created, asks, most);
}
