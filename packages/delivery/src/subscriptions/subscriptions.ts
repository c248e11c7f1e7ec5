import { randomBytes } from "node:crypto";
import { StoreError } from "@cadastre/store";
import { DeliveryError } from "../errors.ts";
import type { DeliveryStatus } from "../exports/deliveries.ts";
import { type PushTargets, resolveProfile } from "../exports/delivery-request.ts";
import type { Caller } from "../exports/export-request.ts";
import { stateAt } from "../exports/find-delivery.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { deliveredDatasets } from "../profiles/schema.ts";
import { asDeliveryError } from "../registry-errors.ts";
import type { ExportSource } from "../source/export-source.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import { reset, settled } from "./progress.ts";
import { fingerprintOf, requireValid, type SubscriptionRequest } from "./request.ts";
import type { Subscription, SubscriptionRegistry, SubscriptionStep } from "./subscription.ts";

export type SubscriptionOptions = {
  readonly registry: SubscriptionRegistry;
  readonly source: Pick<ExportSource, "columns">;
  /** The first one of a domain is what it is delivered by unless asked otherwise. */
  readonly profiles: readonly OutputProfile[];
  /** Where deliveries may be pushed to. By default nothing is pushed. */
  readonly targets?: PushTargets;
  /** Subscriptions of a customer at most that are not canceled. By default 32. */
  readonly most?: number | undefined;
  /** Milliseconds since 1970. By default the time of this machine. */
  readonly clock?: (() => number) | undefined;
  /** By default those of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/**
 * What customers ask of subscriptions. One of another customer is `not_found`, as one that does not exist. Every method
 * throws {@link DeliveryError}, and `StoreError` `registry_unavailable`; those that take an id `not_found`.
 */
export type Subscriptions = {
  /**
   * Create a subscription, whose seed is due at once. The same request with the same key again gives the one that it created,
   * whatever would be refused by now: `replayed`.
   *
   * @throws {DeliveryError} `invalid_name`, `invalid_cadence`, `invalid_preferred_minute`, `invalid_request`, `unknown_domain`,
   * `unknown_profile`, `destination_required`, `entitlement_denied`, `capability_required`, `push_unavailable`, `not_found`,
   * `destination_not_active`, `subscription_exists`, `too_many_subscriptions`, `idempotency_conflict`
   */
  readonly create: (
    caller: Caller,
    request: SubscriptionRequest,
  ) => Promise<{ readonly subscription: Subscription; readonly replayed: boolean }>;
  /** The last created first. */
  readonly list: (caller: Caller, limit: number) => Promise<readonly Subscription[]>;
  readonly find: (caller: Caller, id: string) => Promise<Subscription>;
  /** The last one of the last generation first. */
  readonly deliveries: (
    caller: Caller,
    id: string,
    limit: number,
  ) => Promise<readonly Omit<DeliveryStatus, "parts">[]>;
  /** Have no further delivery created. What changes meanwhile is kept as long as the operator keeps it, and else a seed follows. */
  readonly pause: ChangeSubscription;
  /** Go on with what is paused or suspended: its next delivery is due at once. */
  readonly resume: ChangeSubscription;
  /** Start anew with a seed, in a generation of its own. @throws {DeliveryError} `delivery_not_open`: one is about to be complete */
  readonly reset: ChangeSubscription;
  /** End it for good. What is complete may still be fetched. Canceled again it is the same. */
  readonly cancel: ChangeSubscription;
};

/** @throws {DeliveryError} `subscription_canceled`, unless it is canceled again */
export type ChangeSubscription = (caller: Caller, id: string) => Promise<Subscription>;

/** What is changed of a subscription; undefined: it is so already. */
type Change = (subscription: Subscription, at: number) => SubscriptionStep | undefined;

const changes = {
  pause: ({ state }) => (state === "paused" ? undefined : { changes: { state: "paused", code: null } }),
  resume: ({ state }, at) =>
    state === "active" ? undefined : { changes: { state: "active", code: null, due: at } },
  reset: (subscription, at) => ({ changes: reset(subscription, at), cancels: "subscription_reset" }),
  cancel: () => ({
    changes: { state: "canceled", code: null, due: null },
    cancels: "canceled_by_customer",
  }),
} as const satisfies Record<string, Change>;

/** The subscriptions of a registry. Speaks no HTTP. */
export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  const { registry, source, profiles, targets, most = 32, clock = Date.now, random = randomBytes } = options;

  async function find({ scope }: Caller, id: string): Promise<Subscription> {
    const found = isUuid(id) ? await registry.find(scope.customer, id) : undefined;
    if (found === undefined) throw new DeliveryError("not_found");
    return found;
  }

  const changed =
    (name: keyof typeof changes): ChangeSubscription =>
    (caller, id) =>
      untilTaken(async () => {
        const subscription = await settledNow(registry, await find(caller, id), clock());
        if (subscription.state === "canceled") {
          if (name === "cancel") return subscription;
          throw new DeliveryError("subscription_canceled");
        }
        const step = changes[name](subscription, clock());
        return step === undefined ? subscription : asDeliveryError(registry.step(subscription, step));
      });

  return {
    create: async ({ scope }, request) => {
      requireValid(request);
      const { idempotencyKey: key } = request;
      const asks = key === undefined ? null : { key, fingerprint: fingerprintOf(request) };
      const replayed = asks && (await asDeliveryError(registry.replay(scope.customer, asks)));
      if (replayed) return { subscription: replayed, replayed: true };
      const profile = await resolveProfile(profiles, targets, scope, request);
      if (deliveredDatasets(source, scope, profile).length === 0)
        throw new DeliveryError("entitlement_denied");
      const created = clock();
      const subscription = {
        id: uuidOf(created, random(uuidBytes)),
        customer: scope.customer,
        name: request.name,
        domain: profile.domain,
        profile: profile.id,
        mode: request.deliveryMode,
        destination: request.destinationId ?? null,
        cadenceSeconds: request.cadenceSeconds,
        preferredMinuteOfDay: request.preferredMinuteOfDay ?? null,
        emptyDeliveryBehavior: request.emptyDeliveryBehavior ?? "manifest_only",
        entitlementVersion: scope.version,
        created,
      };
      return asDeliveryError(registry.create(subscription, asks, most));
    },
    list: ({ scope }, limit) => registry.list(scope.customer, limit),
    find,
    deliveries: async (caller, id, limit) => {
      const { customer } = await find(caller, id);
      const found = await registry.deliveries(customer, id, limit);
      return found.map((delivery) => ({ delivery, state: stateAt(delivery, clock()) }));
    },
    pause: changed("pause"),
    resume: changed("resume"),
    reset: changed("reset"),
    cancel: changed("cancel"),
  };
}

/** A subscription whose delivery is open, if it has one: what has ended is settled first. */
export async function settledNow(
  registry: Pick<SubscriptionRegistry, "delivery" | "step">,
  subscription: Subscription,
  at: number,
): Promise<Subscription> {
  if (subscription.delivery === null || subscription.state === "canceled") return subscription;
  const delivery = await registry.delivery(subscription.delivery);
  const progress = delivery && settled(subscription, delivery, at);
  return progress === undefined ? subscription : registry.step(subscription, { changes: progress });
}

/** How often a subscription is read again that somebody else has changed meanwhile. */
const attempts = 5;

async function untilTaken<T>(take: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await take();
    } catch (error) {
      const isOther = error instanceof StoreError && error.code === "subscription_changed";
      if (!isOther || attempt === attempts) throw error;
    }
}
