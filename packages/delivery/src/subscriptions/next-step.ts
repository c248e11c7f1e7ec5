import { workerFaultOf } from "../build/fault.ts";
import { contentsOf } from "../build/part-text.ts";
import { newDelivery } from "../exports/new-delivery.ts";
import { schemaDocument } from "../profiles/schema-document.ts";
import { dueAfter, isDueLater } from "./cadence.ts";
import { areSame, groundsOf, type SubscriptionContent, type SuspensionReason } from "./grounds.ts";
import { reset, suspended } from "./progress.ts";
import type { StepMeans } from "./step-context.ts";
import type { Subscription, SubscriptionProgress, SubscriptionStep } from "./subscription.ts";

/** Longest wait before a suspended subscription is checked again, in milliseconds, whatever its cadence. */
const longestWait = 3_600_000;

/**
 * Returns the next step for a subscription without an open delivery: its next delivery if that is due; the seed of a new generation if
 * what it delivers has changed, or a delivery of this generation is lost; undefined if there is nothing to do.
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
  const { pins: before } = subscription;
  const isOther =
    (before !== null && !areSame(before, grounds.pins)) || (await means.registry.isBroken(subscription));
  const resumed = { state: "active", code: null, entitlementVersion: grounds.scope.version } as const;
  const isWaiting = subscription.state === "active" && isDueLater(subscription.due, at, subscription);
  if (isWaiting && !isOther)
    return subscription.entitlementVersion === resumed.entitlementVersion ? undefined : { changes: resumed };
  const pins = isOther
    ? { ...grounds.pins, schemaSha256: schemaDocument(grounds.profile, grounds.datasets).sha256 }
    : grounds.pins;
  const changes = { ...resumed, ...(isOther ? reset(subscription, at) : {}), pins };
  return deliveryStep(means, { ...subscription, ...changes }, grounds, changes, at);
}

function suspension(
  subscription: Subscription,
  { code, version = subscription.entitlementVersion }: SuspensionReason,
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
  grounds: SubscriptionContent,
  given: Partial<SubscriptionProgress>,
  at: number,
): Promise<SubscriptionStep> {
  const { scope, profile } = grounds;
  const { id, mode, destination, generation, sequence, previous, since, sinceName, pins } = subscription;
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
    schemaSha256: pins?.schemaSha256 ?? null,
    toCheckpoint,
  } as const;
  return { changes, creates: await newDelivery(means, scope, profile, purpose, at) };
}

/**
 * True if none of the delivered records has changed, so that the next delivery can start from the later checkpoint instead. False also if
 * the old versions are no longer kept; the build then fails with that error.
 */
const isEmpty = (...read: Parameters<typeof readsNothing>): Promise<boolean> =>
  readsNothing(...read).catch((error: unknown) => {
    if (workerFaultOf(error).code === "checkpoint_expired") return false;
    throw error;
  });

async function readsNothing(
  { source }: StepMeans,
  { scope, profile, datasets }: SubscriptionContent,
  since: number,
  checkpoint: number,
): Promise<boolean> {
  if (since === checkpoint) return true;
  for (const { columns, ...content } of contentsOf({ fromCheckpoint: since }, datasets, profile)) {
    const names = columns.map(({ name }) => name);
    const { filter } = profile;
    const changed = source.read({ ...content, columns: names, scope, checkpoint, filter, from: null });
    for await (const { length } of changed) if (length > 0) return false;
  }
  return true;
}
