import type { Subscription, SubscriptionProgress, SubscriptionStep } from "@cadastre/store/registry";
import { newDelivery } from "../new-delivery.ts";
import { contentsOf } from "../worker/contents.ts";
import { faultOf } from "../worker/fault.ts";
import { dueAfter, isDueLater } from "./cadence.ts";
import { areSame, type Grounds, groundsOf, type Ungranted } from "./grounds.ts";
import type { StepMeans } from "./means.ts";
import { reset, suspended } from "./progress.ts";

/** Milliseconds after which what is suspended is looked at again, whatever its cadence. */
const longestWait = 3_600_000;

/**
 * What is to be done for a subscription that has no delivery: its next one, if it is due, the seed of a new generation if what it
 * delivers is another by now or a delivery of this one is lost; undefined: nothing.
 *
 * @param at milliseconds since 1970
 */
export async function nextStep(
  means: StepMeans,
  subscription: Subscription,
  at: number,
): Promise<SubscriptionStep | undefined> {
  const grounds = await groundsOf(means, subscription);
  if ("code" in grounds) return suspension(subscription, grounds, at);
  const { pins } = subscription;
  const isOther =
    (pins !== null && !areSame(pins, grounds.pins)) || (await means.registry.isBroken(subscription));
  const resumed = { state: "active", code: null, entitlementVersion: grounds.scope.version } as const;
  const isWaiting = subscription.state === "active" && isDueLater(subscription.due, at, subscription);
  if (isWaiting && !isOther)
    return subscription.entitlementVersion === resumed.entitlementVersion ? undefined : { changes: resumed };
  const changes = { ...resumed, ...(isOther ? reset(subscription, at) : {}), pins: grounds.pins };
  return deliveryStep(means, { ...subscription, ...changes }, grounds, changes, at);
}

function suspension(
  subscription: Subscription,
  { code, version = subscription.entitlementVersion }: Ungranted,
  at: number,
): SubscriptionStep | undefined {
  const { state, code: before, due, cadenceSeconds, entitlementVersion: seen } = subscription;
  const isWaiting = isDueLater(due, at, subscription);
  if (state === "suspended" && before === code && version === seen && isWaiting) return undefined;
  const changes = suspended(code, at + Math.min(cadenceSeconds * 1000, longestWait));
  return { changes: { ...changes, entitlementVersion: version } };
}

async function deliveryStep(
  means: StepMeans,
  subscription: Subscription,
  grounds: Grounds,
  given: Partial<SubscriptionProgress>,
  at: number,
): Promise<SubscriptionStep> {
  const { scope, profile } = grounds;
  const { id, mode, destination, generation, sequence, previous, since, sinceName } = subscription;
  const toCheckpoint = await means.source.checkpoint();
  const changes = { ...given, due: dueAfter(at, subscription) };
  const isSkipped = subscription.emptyDeliveryBehavior === "skip" && since !== null;
  if (isSkipped && (await isEmpty(means, grounds, since, toCheckpoint)))
    return { changes: { ...changes, since: toCheckpoint } };
  const purpose = {
    kind: since === null ? "seed" : "delta",
    mode,
    destination,
    subscription: id,
    generation,
    sequence,
    previous,
    fromCheckpoint: since,
    fromName: sinceName,
    basis: grounds.pins.basis,
    toCheckpoint,
  } as const;
  return { changes, creates: await newDelivery(means, scope, profile, purpose, at) };
}

/**
 * Whether nothing that is delivered has changed: then what follows another checkpoint is the same. False also where that is not
 * known any more, which who builds it finds out.
 */
const isEmpty = (...read: Parameters<typeof readsNothing>): Promise<boolean> =>
  readsNothing(...read).catch((error: unknown) => {
    if (faultOf(error).code === "checkpoint_expired") return false;
    throw error;
  });

async function readsNothing(
  { source }: StepMeans,
  { scope, profile, datasets }: Grounds,
  since: number,
  checkpoint: number,
): Promise<boolean> {
  if (since === checkpoint) return true;
  for (const { columns, ...content } of contentsOf({ fromCheckpoint: since }, datasets, profile)) {
    const names = columns.map(({ name }) => name);
    const changed = source.read({ ...content, columns: names, scope, checkpoint, from: null });
    for await (const { length } of changed) if (length > 0) return false;
  }
  return true;
}
