import type { Scope } from "@cadastre/entitlement";
import type { DestinationRegistry } from "../destinations/destination.ts";
import type { DeliveryMeans } from "../exports/new-delivery.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import type { ExportSource } from "../source/export-source.ts";
import type { SubscriptionRegistry } from "./subscription.ts";

/** What the next steps of subscriptions are found by. */
export type StepMeans = DeliveryMeans & {
  readonly registry: Pick<SubscriptionRegistry, "delivery" | "isBroken" | "step" | "waiting">;
  /** By which the destinations of subscriptions are known to be active. Without them none is. */
  readonly destinations?: Pick<DestinationRegistry, "find"> | undefined;
  readonly source: ExportSource;
  readonly profiles: readonly OutputProfile[];
  /** What a customer is granted now; undefined: nothing. What it throws of entitlements that changed suspends the subscription. */
  readonly scopeOf: (customer: string) => Promise<Scope | undefined>;
};
