import { randomBytes } from "node:crypto";
import { DeliveryError } from "../errors.ts";
import type { DeliveryStatus } from "../exports/deliveries.ts";
import type { ApiKeyCaller } from "../exports/export-request.ts";
import { type PushTargets, resolveProfile } from "../exports/export-request.ts";
import { stateAt } from "../exports/find-delivery.ts";
import type { DeliveryPlace } from "../ledger/delivery.ts";
import { requireNarrowed } from "../profiles/narrowed-profile.ts";
import type { OutputProfile } from "../profiles/profile.ts";
import { deliveredDatasets } from "../profiles/profile.ts";
import type { ExportSource } from "../source/export-source.ts";
import { isUuid, uuidBytes, uuidOf } from "../uuid.ts";
import { grantsDomain } from "./grounds.ts";
import { reset, settled } from "./progress.ts";
import { requireValid, type SubscriptionRequest, subscriptionFingerprint } from "./request.ts";
import type {
  Subscription,
  SubscriptionReach,
  SubscriptionRegistry,
  SubscriptionStep,
} from "./subscription.ts";

export type SubscriptionOptions = {
  readonly registry: SubscriptionRegistry;
  readonly source: Pick<ExportSource, "bindFilter" | "columns">;
  /** Output profiles. The first one of each domain is its default. */
  readonly profiles: readonly OutputProfile[];
  /** Destinations that deliveries may be pushed to. By default nothing is pushed. */
  readonly targets?: PushTargets;
  /** Limit on a customer's subscriptions, without canceled ones. By default 32. */
  readonly most?: number | undefined;
  /** Returns milliseconds since 1970. By default the system time. */
  readonly clock?: (() => number) | undefined;
  /** By default the random bytes of the operating system. */
  readonly random?: ((bytes: number) => Uint8Array) | undefined;
};

/**
 * Operations of customers on their subscriptions. Another customer's subscription is reported as `not_found`, like one that does not
 * exist. Every method throws {@link DeliveryError}, and `StoreError` `registry_unavailable`; methods that take an id throw `not_found`.
 */
export type Subscriptions = {
  /**
   * Creates a subscription, whose seed is due at once. A repeated request (same idempotency key) returns the subscription that the first
   * one created, with `replayed` true, even if the request would be refused by now.
   *
   * @throws {DeliveryError} `invalid_name`, `invalid_cadence`, `invalid_preferred_minute`, `invalid_request`, `unknown_domain`,
   * `unknown_profile`, `destination_required`, `entitlement_denied`, `capability_required`, `push_unavailable`, `not_found`,
   * `destination_not_active`, `subscription_exists`, `too_many_subscriptions`, `idempotency_conflict`, `filter_not_available`,
   * `invalid_select`
   * @throws {QueryError} for a filter, with the place of the fault
   */
  readonly create: (
    caller: ApiKeyCaller,
    request: SubscriptionRequest,
  ) => Promise<{ readonly subscription: Subscription; readonly replayed: boolean }>;
  /** Lists subscriptions, the last created first. */
  readonly list: (caller: ApiKeyCaller, limit: number) => Promise<readonly Subscription[]>;
  readonly find: (caller: ApiKeyCaller, id: string) => Promise<Subscription>;
  /** Returns a subscription, and how far it has come. */
  readonly status: (
    caller: ApiKeyCaller,
    id: string,
  ) => Promise<
    SubscriptionReach & {
      readonly subscription: Subscription;
      /** True if the caller's scope grants nothing of the domain any more, and something was delivered: the copy must be deleted. */
      readonly isRevoked: boolean;
    }
  >;
  /** Lists the deliveries of a subscription: the last one of the last generation first, or with `from` those from that place on in order. */
  readonly deliveries: (
    caller: ApiKeyCaller,
    id: string,
    limit: number,
    from?: DeliveryPlace,
  ) => Promise<readonly SubscribedDelivery[]>;
  /**
   * Stops the creation of deliveries. Record versions since the last delivery are kept only as long as the operator's retention says; if
   * they are gone by the time of `resume`, a new seed follows.
   */
  readonly pause: ChangeSubscription;
  /** Resumes a paused or suspended subscription: its next delivery is due at once. */
  readonly resume: ChangeSubscription;
  /** Starts a new generation with a seed. @throws {DeliveryError} `delivery_not_open` if a delivery is about to be complete */
  readonly reset: ChangeSubscription;
  /** Cancels a subscription permanently. Complete deliveries may still be fetched. Canceling it again changes nothing. */
  readonly cancel: ChangeSubscription;
};

/** A delivery of a subscription. */
type SubscribedDelivery = Omit<DeliveryStatus, "parts"> & {
  /** Time of the first acknowledgement, in milliseconds since 1970; null if there is none. */
  readonly acknowledged: number | null;
};

/** @throws {DeliveryError} `subscription_canceled`, except if a canceled subscription is canceled again */
export type ChangeSubscription = (caller: ApiKeyCaller, id: string) => Promise<Subscription>;

/** Returns the step that makes a change; undefined if the subscription is in that state already. */
type Change = (subscription: Subscription, at: number, by: Changer) => SubscriptionStep | undefined;

/** Who changes a subscription. */
type Changer = "customer" | "operator";

const subscriptionChanges = {
  pause: ({ state }) => (state === "paused" ? undefined : { changes: { state: "paused", code: null } }),
  resume: ({ state }, at) =>
    state === "active" ? undefined : { changes: { state: "active", code: null, due: at } },
  reset: (subscription, at) => ({ changes: reset(subscription, at), cancels: "subscription_reset" }),
  cancel: (_subscription, _at, by) => ({
    changes: { state: "canceled", code: null, due: null },
    cancels: `canceled_by_${by}`,
  }),
} as const satisfies Record<string, Change>;

/** Returns the operations on the subscriptions of a registry. It is independent of HTTP. */
export function createSubscriptions(options: SubscriptionOptions): Subscriptions {
  const { registry, source, profiles, targets, most = 32, clock = Date.now, random = randomBytes } = options;

  async function find({ scope }: ApiKeyCaller, id: string): Promise<Subscription> {
    const found = isUuid(id) ? await registry.find(scope.customer, id) : undefined;
    if (found === undefined) throw new DeliveryError("not_found");
    return found;
  }

  const changed =
    (name: SubscriptionChange): ChangeSubscription =>
    (caller, id) =>
      changeSubscription(registry, () => find(caller, id), name, { clock, by: "customer" });

  return {
    create: async ({ scope }, request) => {
      requireValid(request);
      const { idempotencyKey: key } = request;
      const asks = key === undefined ? null : { key, fingerprint: subscriptionFingerprint(request) };
      const replayed = asks && (await registry.replay(scope.customer, asks));
      if (replayed) return { subscription: replayed, replayed: true };
      const profile = await resolveProfile(profiles, targets, scope, request);
      if (deliveredDatasets(source, scope, profile).length === 0)
        throw new DeliveryError("entitlement_denied");
      requireNarrowed(source, scope, profile, request);
      const { filter, select } = request;
      const created = clock();
      const subscription = {
        id: uuidOf(created, random(uuidBytes)),
        customer: scope.customer,
        name: request.name,
        domain: profile.domain,
        profile: profile.id,
        narrowing: filter === undefined && select === undefined ? null : { filter, select },
        mode: request.deliveryMode,
        destination: request.destinationId ?? null,
        cadenceSeconds: request.cadenceSeconds,
        preferredMinuteOfDay: request.preferredMinuteOfDay ?? null,
        emptyDeliveryBehavior: request.emptyDeliveryBehavior ?? "manifest_only",
        entitlementVersion: scope.version,
        created,
      };
      return registry.create(subscription, asks, most);
    },
    list: ({ scope }, limit) => registry.list(scope.customer, limit),
    find,
    status: async (caller, id) => {
      const subscription = await find(caller, id);
      const reach = await registry.reach(id);
      const isRevoked = reach.delivered !== null && !grantsDomain(caller.scope, subscription.domain);
      return { subscription, ...reach, isRevoked };
    },
    deliveries: async (caller, id, limit, from) => {
      const { customer } = await find(caller, id);
      const found = await registry.deliveries(customer, id, limit, from);
      const acknowledged = await registry.acknowledgements(found.map((delivery) => delivery.id));
      return found.map((delivery) => ({
        delivery,
        state: stateAt(delivery, clock()),
        acknowledged: acknowledged.get(delivery.id) ?? null,
      }));
    },
    pause: changed("pause"),
    resume: changed("resume"),
    reset: changed("reset"),
    cancel: changed("cancel"),
  };
}

/** Name of a change that a customer or the operator makes to a subscription. */
export type SubscriptionChange = keyof typeof subscriptionChanges;

/**
 * Makes a change to the subscription that `find` returns, again if another process has changed it meanwhile.
 *
 * @param clock returns milliseconds since 1970
 * @throws {DeliveryError} `subscription_canceled`, `delivery_not_open`, and what `find` throws
 */
export const changeSubscription = (
  registry: Pick<SubscriptionRegistry, "delivery" | "step">,
  find: () => Promise<Subscription>,
  name: SubscriptionChange,
  { clock, by }: { readonly clock: () => number; readonly by: Changer },
): Promise<Subscription> =>
  untilTaken(async () => {
    const subscription = await settledNow(registry, await find(), clock());
    if (subscription.state === "canceled") {
      if (name === "cancel") return subscription;
      throw new DeliveryError("subscription_canceled");
    }
    const step = subscriptionChanges[name](subscription, clock(), by);
    return step === undefined ? subscription : registry.step(subscription, step);
  });

/** Returns the subscription after recording the end of its delivery, if that has ended. */
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

/** Maximum number of attempts to change a subscription that is changed concurrently (optimistic locking). */
const attempts = 5;

async function untilTaken<T>(take: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++)
    try {
      return await take();
    } catch (error) {
      const isOther = error instanceof DeliveryError && error.code === "subscription_changed";
      if (!isOther || attempt === attempts) throw error;
    }
}
