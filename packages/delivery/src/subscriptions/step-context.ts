import type { Scope } from "@cadastre/entitlement";
import type { DestinationRegistry } from "../destinations/destination.ts";
import type { DeliveryMeans } from "../exports/new-delivery.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import type { ExportSource } from "../source/export-source.ts";
import type { SubscriptionRegistry } from "./subscription.ts";

/** Dependencies for finding the next steps of subscriptions. */
export type StepMeans = DeliveryMeans & {
  readonly registry: Pick<SubscriptionRegistry, "delivery" | "isBroken" | "step" | "needingStep">;
  /** Tells whether the destinations of subscriptions are active. Without it none counts as active. */
  readonly destinations?: Pick<DestinationRegistry, "find"> | undefined;
  readonly source: ExportSource;
  readonly profiles: readonly OutputProfile[];
  /**
   * Returns the scope that a customer is granted now; undefined if none. If it throws an `EntitlementError` of the kind `forbidden`, the
   * subscription is suspended.
   */
  readonly scopeOf: (customer: string) => Promise<Scope | undefined>;
};
