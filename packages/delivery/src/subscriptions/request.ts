import { createHash } from "node:crypto";
import { canonicalText } from "@cadastre/manifest";
import { DeliveryError } from "../errors.ts";
import type { FileDeliveryRequest } from "../exports/export-request.ts";
import { isKey, isPlainText, narrowingText } from "../exports/export-request.ts";
import type { EmptyDeliveryBehavior } from "./subscription.ts";

/** Body and idempotency key of `POST /v1/file-export-subscriptions`. Source: interface specification, section 2.9. */
export type SubscriptionRequest = FileDeliveryRequest & {
  readonly name: string;
  readonly cadenceSeconds: number;
  /** In UTC. Applies only if the cadence is a whole number of days. */
  readonly preferredMinuteOfDay?: number | undefined;
  /** By default `manifest_only`. */
  readonly emptyDeliveryBehavior?: EmptyDeliveryBehavior | undefined;
  /** The same for all retries of a request. */
  readonly idempotencyKey?: string | undefined;
};

/** Longest name of a subscription, in UTF-16 code units. */
export const maxNameLength = 128;

/** Shortest and longest cadence, in seconds: a minute to 31 days. */
export const cadenceBounds = { least: 60, most: 31 * 86_400 } as const;

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isSafeInteger(value) && value >= least && value <= most;

/** @throws {DeliveryError} `invalid_name`, `invalid_cadence`, `invalid_preferred_minute`, `invalid_request` */
export function requireValid(request: SubscriptionRequest): void {
  const { name, cadenceSeconds, preferredMinuteOfDay = 0, idempotencyKey = "-" } = request;
  if (name.length === 0 || name.length > maxNameLength || !isPlainText(name))
    throw new DeliveryError("invalid_name");
  if (!isWithin(cadenceSeconds, cadenceBounds.least, cadenceBounds.most))
    throw new DeliveryError("invalid_cadence");
  if (!isWithin(preferredMinuteOfDay, 0, 1439)) throw new DeliveryError("invalid_preferred_minute");
  if (!isKey(idempotencyKey))
    throw new DeliveryError("invalid_request", undefined, { target: "idempotencyKey" });
}

/** Returns the SHA-256 of a request without its idempotency key. */
export const subscriptionFingerprint = (request: Omit<SubscriptionRequest, "idempotencyKey">): string =>
  createHash("sha256")
    .update(
      canonicalText({
        name: request.name,
        domain: request.domain,
        deliveryMode: request.deliveryMode,
        destinationId: request.destinationId ?? null,
        profileId: request.profileId ?? null,
        cadenceSeconds: request.cadenceSeconds,
        preferredMinuteOfDay: request.preferredMinuteOfDay ?? null,
        emptyDeliveryBehavior: request.emptyDeliveryBehavior ?? null,
        ...narrowingText(request),
      }),
    )
    .digest("hex");
