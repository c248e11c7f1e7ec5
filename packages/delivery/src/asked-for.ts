import type { Product, Scope } from "@cadastre/entitlement";
import { DeliveryError } from "./errors.ts";
import type { OutputProfile } from "./profile/profile.ts";

/** What an export and a subscription say alike. Source: interface specification, section 2.9. */
export type AskedFor = {
  readonly domain: string;
  readonly deliveryMode: "pull" | "push" | "both";
  readonly destinationId?: string | undefined;
  /** An output profile of the domain; by default the first one. */
  readonly profileId?: string | undefined;
};

/**
 * The output profile of what is asked for, if the scope grants it.
 *
 * @throws {DeliveryError} `invalid_request`, `unknown_domain`, `unknown_profile`, `destination_required`, `entitlement_denied`,
 * `capability_required`, `push_unavailable`
 */
export function requireProfile(
  profiles: readonly OutputProfile[],
  scope: Scope,
  { domain, deliveryMode, destinationId, profileId }: AskedFor,
): OutputProfile {
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
