import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { canonicalText } from "@cadastre/manifest";
import type { Destinations } from "../destinations/destinations.ts";
import { DeliveryError } from "../errors.ts";
import type { Narrowing } from "../profiles/narrowed-profile.ts";
import type { OutputProfile } from "../profiles/profile.ts";

/** Members that requests for an export and for a subscription share. Source: interface specification, section 2.9. */
export type FileDeliveryRequest = {
  readonly domain: string;
  readonly deliveryMode: "pull" | "push" | "both";
  readonly destinationId?: string | undefined;
  /** An output profile of the domain; by default the first one. */
  readonly profileId?: string | undefined;
  /** Condition on the records of the domain's main dataset, in the language of `$filter`. By default all are delivered. */
  readonly filter?: string | undefined;
  /** Names of fields of the domain's main dataset. By default all of the profile. */
  readonly select?: readonly string[] | undefined;
};

/** Destinations that a delivery may be pushed to; undefined if this service pushes nothing. */
export type PushTargets = Pick<Destinations, "find"> | undefined;

/**
 * Returns the output profile for a request. Checks that the scope grants its domain and that its destination, if it has one, is active.
 *
 * @throws {DeliveryError} `invalid_request`, `unknown_domain`, `unknown_profile`, `destination_required`, `entitlement_denied`,
 * `capability_required`, `push_unavailable`, `not_found`, `destination_not_active`
 */
export async function resolveProfile(
  profiles: readonly OutputProfile[],
  targets: PushTargets,
  scope: Scope,
  { domain, deliveryMode, destinationId, profileId }: FileDeliveryRequest,
): Promise<OutputProfile> {
  const own = profiles.filter((profile) => profile.domain === domain);
  if (own.length === 0)
    throw new DeliveryError("unknown_domain", undefined, {
      allowed: [...new Set(profiles.map((one) => one.domain))],
    });
  const profile = profileId === undefined ? own[0] : own.find(({ id }) => id === profileId);
  if (profile === undefined) throw new DeliveryError("unknown_profile");
  const isPulled = deliveryMode === "pull";
  if (isPulled && destinationId !== undefined)
    throw new DeliveryError("invalid_request", undefined, { target: "destinationId" });
  if (!isPulled && destinationId === undefined) throw new DeliveryError("destination_required");
  if (!scope.products.includes(profile.domain)) throw new DeliveryError("entitlement_denied");
  if (destinationId !== undefined) await requireDestination(targets, scope, destinationId);
  return profile;
}

/** @throws {DeliveryError} `capability_required`, `push_unavailable`, `not_found`, `destination_not_active` */
async function requireDestination(targets: PushTargets, scope: Scope, id: string): Promise<void> {
  requirePush(scope);
  if (targets === undefined) throw new DeliveryError("push_unavailable");
  const { state } = await targets.find(scope.customer, id);
  if (state !== "active") throw new DeliveryError("destination_not_active", state);
}

/** @throws {DeliveryError} `capability_required` */
export function requirePush({ capabilities }: Scope): void {
  if (!capabilities.includes("file_export_push")) throw new DeliveryError("capability_required");
}

/** An authenticated caller, as its API key proves it. */
export type ApiKeyCaller = {
  readonly scope: Scope;
  /** Id of the API key. Part grants are bound to it. */
  readonly apiKey: string;
};

/** Body and idempotency key of `POST /v1/file-exports`. Source: interface specification, section 2.9. */
export type FileExportRequest = FileDeliveryRequest & {
  /** An earlier state: a time as in RFC 3339, or `window.toCheckpoint` of an earlier delivery. By default the present one. */
  readonly asOf?: string | undefined;
  /** The same for all retries of a request. */
  readonly idempotencyKey: string;
};

/** A customer's statement that it has loaded a delivery. Source: interface specification, section 2.9. */
export type AcknowledgementRequest = {
  readonly generation: number;
  readonly sequence: number;
  readonly manifestSha256: string;
  readonly reference: string;
};

/** Longest idempotency key, in UTF-16 code units. */
export const maxKeyLength = 255;

/** Longest reference that a customer may give to an acknowledgement, in UTF-16 code units. */
export const maxReferenceLength = 256;

/** True if every database stores the text unchanged: it has no control characters and no lone surrogates. */
export const isPlainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

/** True if the text is a valid idempotency key. */
export const isKey = (text: string): boolean =>
  text.length > 0 && text.length <= maxKeyLength && isPlainText(text);

/** Returns the SHA-256 of a request without its idempotency key. */
export const exportFingerprint = ({
  domain,
  deliveryMode,
  destinationId,
  profileId,
  asOf,
  ...asked
}: FileExportRequest): string =>
  createHash("sha256")
    .update(
      canonicalText({
        domain,
        deliveryMode,
        destinationId: destinationId ?? null,
        profileId: profileId ?? null,
        ...narrowingText(asked),
        ...(asOf === undefined ? {} : { asOf: escapedText(asOf) }),
      }),
    )
    .digest("hex");

/** Returns the members of a request that narrow a profile, as JSON text: it may hold characters that the canonical form does not allow. */
export const narrowingText = ({ filter, select }: Narrowing): { readonly narrowing?: string } =>
  filter === undefined && select === undefined ? {} : { narrowing: escapedText({ filter, select }) };

const escapedText = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
