import { EntitlementError, type Product, type Scope } from "@cadastre/entitlement";
import { DeliveryError, type DeliveryErrorCode } from "../errors.ts";
import { narrowedProfile, requireBound } from "../profiles/narrowed-profile.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { type DeliveredDataset, deliveredDatasets } from "../profiles/profile.ts";
import { schemaDocument } from "../profiles/schema-document.ts";
import type { StepMeans } from "./step-context.ts";
import type { GenerationPins, Subscription } from "./subscription.ts";

/** The scope, profile and datasets that a subscription delivers at present. */
export type SubscriptionContent = {
  readonly scope: Scope;
  readonly profile: OutputProfile;
  readonly datasets: readonly DeliveredDataset[];
  readonly pins: GenerationPins;
};

/** The reason why a subscription cannot deliver at present. */
export type SuspensionReason = {
  readonly code: DeliveryErrorCode;
  /** Version of the entitlement that was checked; undefined if none is in force. */
  readonly version: number | undefined;
};

/** Returns what a subscription delivers at present, or the reason why it cannot deliver. */
export async function groundsOf(
  {
    scopeOf,
    profiles,
    destinations,
    source,
  }: Pick<StepMeans, "scopeOf" | "profiles" | "destinations" | "source">,
  { customer, domain, profile: id, narrowing, mode, destination, pins: before }: Subscription,
): Promise<SubscriptionContent | SuspensionReason> {
  const scope = await grantedBy(scopeOf, customer);
  const ungranted = (code: DeliveryErrorCode): SuspensionReason => ({ code, version: scope?.version });
  if (scope?.channels.file_delivery !== true || !scope.products.includes(domain as Product))
    return ungranted("entitlement_expired");
  if (mode !== "pull" && !scope.capabilities.includes("file_export_push"))
    return ungranted("capability_required");
  if (mode !== "pull" && !(await isActive(destinations, customer, destination)))
    return ungranted("destination_degraded");
  const whole = profiles.find((one) => one.id === id && one.domain === domain);
  if (whole === undefined) return ungranted("unknown_profile");
  const profile = narrowedProfile(whole, narrowing ?? {});
  const datasets = deliveredDatasets(source, scope, profile);
  if (datasets.length === 0) return ungranted("entitlement_expired");
  const bound = boundTo(source, scope, profile);
  if (bound === "outdated") return ungranted("filter_outdated");
  const pins = {
    scopeSha256: scope.scopeSha256,
    // Of an earlier form if the generation has begun with that.
    schemaSha256: schemaDocument(profile, datasets, before?.schemaSha256).sha256,
    // A condition on a field that has another type since is another one.
    profileSha256: [profile.sha256, ...bound].join(" "),
    basis: (await source.basis?.(datasets.map(({ name }) => name))) ?? "",
  };
  return { scope, profile, datasets, pins };
}

/** Returns what the filter of a profile is bound to, nothing without a filter. */
function boundTo(...of: Parameters<typeof requireBound>): readonly string[] | "outdated" {
  try {
    const bound = requireBound(...of);
    return bound === undefined ? [] : [bound];
  } catch (error) {
    if (error instanceof DeliveryError && error.code === "filter_outdated") return "outdated";
    throw error;
  }
}

/** True if a scope grants deliveries of a domain. Which records they hold depends on the datasets. */
export const grantsDomain = ({ channels, products, datasets }: Scope, domain: string): boolean =>
  channels.file_delivery && datasets.length > 0 && products.some((product) => product === domain);

const isActive = async (
  destinations: StepMeans["destinations"],
  customer: string,
  id: string | null,
): Promise<boolean> => id !== null && (await destinations?.find(customer, id))?.state === "active";

async function grantedBy(scopeOf: StepMeans["scopeOf"], customer: string): Promise<Scope | undefined> {
  try {
    return await scopeOf(customer);
  } catch (error) {
    if (error instanceof EntitlementError && error.kind === "forbidden") return undefined;
    throw error;
  }
}

/** True if a delivery with the pins `b` may follow deliveries with the pins `a` in the same generation. */
export const areSame = (a: GenerationPins, b: GenerationPins): boolean =>
  a.scopeSha256 === b.scopeSha256 &&
  a.schemaSha256 === b.schemaSha256 &&
  a.profileSha256 === b.profileSha256 &&
  a.basis === b.basis;
