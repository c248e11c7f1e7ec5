import { type Knex, withCustomerLock } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import type {
  NewSubscription,
  RequestIdentity,
  Subscription,
  SubscriptionRegistry,
} from "../subscription.ts";
import { profileColumns, subscriptionTable, toSubscription } from "./subscription-rows.ts";

/**
 * Returns the function that creates subscriptions in a database. Subscriptions of one customer are created one after another.
 */
export const createSubscription =
  (knex: Knex): SubscriptionRegistry["create"] =>
  (created, request, most) =>
    withCustomerLock(knex, created.customer, async (transaction) => {
      const replayed = request && (await replaySubscription(transaction)(created.customer, request));
      if (replayed) return { subscription: replayed, replayed: true };
      await refuseMore(transaction, created, most);
      return { subscription: await insertSubscription(transaction, created, request), replayed: false };
    });

/** Returns the function that finds the subscriptions of repeated requests. */
export const replaySubscription =
  (knex: Knex): SubscriptionRegistry["replay"] =>
  async (customer, { key, fingerprint }) => {
    const met = await subscriptionTable(knex).where({ customer, request_key: key }).first();
    if (met !== undefined && met.fingerprint !== fingerprint) throw new DeliveryError("idempotency_conflict");
    return met && toSubscription(met);
  };

/**
 * Checks the name and the limit of subscriptions.
 *
 * @throws {DeliveryError} `subscription_exists`, `too_many_subscriptions`
 */
async function refuseMore(
  transaction: Knex.Transaction,
  { customer, name }: NewSubscription,
  most: number,
): Promise<void> {
  const names: readonly string[] = await subscriptionTable(transaction)
    .where({ customer })
    .whereNot({ state: "canceled" })
    .pluck("name");
  if (names.includes(name)) throw new DeliveryError("subscription_exists");
  if (names.length >= most) throw new DeliveryError("too_many_subscriptions");
}

async function insertSubscription(
  transaction: Knex.Transaction,
  {
    profile,
    narrowing,
    cadenceSeconds,
    preferredMinuteOfDay,
    emptyDeliveryBehavior,
    entitlementVersion,
    ...same
  }: NewSubscription,
  request: RequestIdentity | null,
): Promise<Subscription> {
  const row = {
    ...same,
    ...profileColumns({ profile, narrowing }),
    cadence_seconds: cadenceSeconds,
    preferred_minute: preferredMinuteOfDay,
    empty_behavior: emptyDeliveryBehavior,
    entitlement_version: entitlementVersion,
    request_key: request?.key ?? null,
    fingerprint: request?.fingerprint ?? null,
    state: "active",
    code: null,
    due: same.created,
    delivery: null,
    generation: 1,
    sequence: 0,
    since: null,
    since_name: null,
    previous: null,
    pins: null,
    revision: 0,
    told_code: null,
  } as const;
  await subscriptionTable(transaction).insert(row);
  return toSubscription(row);
}
