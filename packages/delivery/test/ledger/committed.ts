import { describe, expect, test } from "vitest";
import type { NewDelivery } from "../../src/ledger/delivery.ts";
import type { NewSubscription } from "../../src/subscriptions/subscription.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { newDestination } from "../support/new-destination.ts";
import {
  at,
  claim,
  codeOf,
  create,
  customer,
  day,
  lapsed,
  manifest,
  newDelivery,
  terms,
  type WithRegistry,
} from "../support/tables.ts";

const publishing = { ...terms, task: "publish" } as const;
const late = at + 20 * day;

/** Claim the delivery that is to be published first, and commit it. */
async function committed(registry: TestRegistry, with_ = terms) {
  const held = await claim(registry, { ...with_, task: "publish" });
  await registry.deliveries.queue.commit(held, at + 1);
  return held;
}

/** A delivery whose end is about to be written, and who has it. */
async function ending(registry: TestRegistry, more: Partial<NewDelivery> = {}, with_ = terms) {
  const { id } = await create(registry, { mode: "both", destination: "d1", ...more });
  await registry.deliveries.queue.seal(await claim(registry), manifest, at);
  return { id, held: await committed(registry, with_) };
}

/** A subscription, with a delivery whose end is about to be written. */
async function subscribed(registry: TestRegistry) {
  const { subscriptions, deliveries } = registry;
  const delivery = newDelivery({ kind: "seed", mode: "push", destination: "d1" });
  const wanted: NewSubscription = {
    id: delivery.id,
    customer,
    name: delivery.id,
    domain: "listing",
    profile: "listing-jsonl",
    mode: "push",
    destination: "d1",
    cadenceSeconds: 86_400,
    preferredMinuteOfDay: null,
    narrowing: null,
    emptyDeliveryBehavior: "manifest_only",
    entitlementVersion: 1,
    created: at,
  };
  const { subscription } = await subscriptions.create(wanted, null, 9);
  const creates = { ...delivery, subscription: subscription.id };
  const read = await subscriptions.step(subscription, { changes: {}, creates });
  await deliveries.queue.seal(await claim(registry), manifest, at);
  return { read, held: await committed(registry) };
}

/** Tests of deliveries whose last object is about to be written, for every database. */
export function committedConformance(name: string, withRegistry: WithRegistry): void {
  describe(`committed deliveries in ${name}`, () => {
    test("one is given up by nobody, while it is published and while it waits, and then is complete", () =>
      withRegistry(async (registry, again) => {
        const { queue, retention, find } = registry.deliveries;
        const other = (await again()).deliveries;
        const { id, held } = await ending(registry);
        const isKept = async (state: string) => {
          expect(await codeOf(other.cancel(customer, id, "canceled_by_customer"))).toBe("delivery_not_open");
          expect(await retention.expire(late)).toBe(0);
          expect(await find(customer, id)).toMatchObject({ state, committed: at + 1 });
        };
        await isKept("publishing");
        for (const state of ["canceled", "failed"] as const)
          expect(await queue.end(held, state, "destination_denied")).toBe(false);
        await isKept("publishing");
        expect(await queue.retry(held, 0, 1, "destination_denied")).toBe("sealed");
        await isKept("sealed");
        expect(await find(customer, id)).toMatchObject({ code: "destination_denied" });
        const next = await claim(registry, publishing);
        await queue.commit(next, at + 9);
        await isKept("publishing");
        await queue.complete(next, at + 10);
        const complete = { state: "complete", completed: at + 10, committed: at + 1, code: null };
        expect(await find(customer, id)).toMatchObject(complete);
      }));

    test("its publishers may be lost any number of times", () =>
      withRegistry(async (registry) => {
        const { id } = await ending(registry, {}, lapsed);
        for (let lost = 0; lost < 5; lost++)
          await claim(registry, { ...lapsed, task: "publish", attempts: 1 });
        expect(await claim(registry, { ...publishing, attempts: 1 })).toMatchObject({ id, fence: 8 });
      }));

    test("what was canceled before is not committed, nor under a claim that was lost, nor while it is built", () =>
      withRegistry(async (registry) => {
        const { queue, cancel, find } = registry.deliveries;
        const { id } = await create(registry, { mode: "push", destination: "d1" });
        const building = await claim(registry);
        expect(await codeOf(queue.commit(building, at))).toBe("lease_lost");
        await queue.seal(building, manifest, at);
        const lost = await claim(registry, { ...lapsed, task: "publish" });
        const held = await claim(registry, publishing);
        expect(await codeOf(queue.commit(lost, at))).toBe("lease_lost");
        await cancel(customer, id, "canceled_by_customer");
        expect(await codeOf(queue.commit(held, at))).toBe("lease_lost");
        expect(await find(customer, id)).toMatchObject({ state: "canceled", committed: null });
      }));

    test("of a cancellation and a commitment at once one holds, and the other is refused", () =>
      withRegistry(async (registry, again) => {
        const other = (await again()).deliveries;
        for (let i = 0; i < 5; i++) {
          const { id } = await create(registry, { mode: "push", destination: "d1" });
          const { queue, find } = registry.deliveries;
          await queue.seal(await claim(registry), manifest, at);
          const held = await claim(registry, publishing);
          const codes = await Promise.all([
            codeOf(queue.commit(held, at)),
            codeOf(other.cancel(customer, id, "canceled_by_customer")),
          ]);
          const isCommitted = (await find(customer, id))?.state === "publishing";
          expect(codes).toEqual(isCommitted ? ["done", "delivery_not_open"] : ["lease_lost", "done"]);
          if (isCommitted) await queue.complete(held, at);
        }
      }));

    test("once its time is over it fails if its destination is disabled, for then nothing is written any more", () =>
      withRegistry(async (registry) => {
        const { destinations, deliveries } = registry;
        const { id: destination } = await destinations.reserve(newDestination());
        const { id } = await ending(registry, { destination });
        await deliveries.retention.expire(late);
        expect(await deliveries.find(customer, id)).toMatchObject({ state: "publishing" });
        await destinations.disable(customer, destination);
        await deliveries.retention.expire(late - 7 * day);
        expect(await deliveries.find(customer, id)).toMatchObject({ state: "publishing" });
        await deliveries.retention.expire(late);
        const failed = { state: "failed", code: "delivery_expired" };
        expect(await deliveries.find(customer, id)).toMatchObject(failed);
      }));

    test("a subscription gives none up: nothing follows it yet, and one that is canceled leaves it", () =>
      withRegistry(async (registry) => {
        const { subscriptions, deliveries } = registry;
        const { read, held } = await subscribed(registry);
        const reset = { generation: 2, delivery: null };
        const resetting = subscriptions.step(read, { changes: reset, cancels: "subscription_reset" });
        expect(await codeOf(resetting)).toBe("delivery_not_open");
        expect(await subscriptions.find(customer, read.id)).toEqual(read);
        const canceling = { changes: { state: "canceled" }, cancels: "canceled_by_customer" } as const;
        expect(await subscriptions.step(read, canceling)).toMatchObject({ state: "canceled" });
        expect(await deliveries.find(customer, held.id)).toMatchObject({ state: "publishing", code: null });
        await deliveries.queue.complete(held, at);
        expect(await deliveries.find(customer, held.id)).toMatchObject({ state: "complete" });
      }));
  });
}
