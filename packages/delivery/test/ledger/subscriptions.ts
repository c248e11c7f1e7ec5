import { describe, expect, test } from "vitest";
import type { Subscription } from "../../src/index.ts";
import type { NewDelivery } from "../../src/ledger/delivery.ts";
import type { NewSubscription } from "../../src/subscriptions/subscription.ts";
import type { TestRegistry } from "../../src/testing/registry.ts";
import { newDestination } from "../support/new-destination.ts";
import { at, codeOf, complete as completeWith, customer, sha, type WithRegistry } from "../support/tables.ts";

const hour = 3_600_000;
/** Live subscriptions. */
const most = 3;
const pins = { scopeSha256: sha("5c"), schemaSha256: sha("5e"), profileSha256: sha("9f"), basis: "[]" };

let made = 0;

const nextId = () => `00000000-0000-7000-8000-${String(++made).padStart(12, "0")}`;

function newSubscription(more: Partial<NewSubscription> = {}): NewSubscription {
  const id = nextId();
  return {
    id,
    customer,
    name: `of ${id}`,
    domain: "listing",
    profile: "listing-jsonl",
    mode: "pull",
    destination: null,
    cadenceSeconds: 86_400,
    preferredMinuteOfDay: 240,
    narrowing: null,
    emptyDeliveryBehavior: "manifest_only",
    entitlementVersion: 1,
    created: at,
    ...more,
  };
}

const deliveryOf = (
  { id, domain, generation, sequence }: Subscription,
  more: Partial<NewDelivery> = {},
): NewDelivery => ({
  id: nextId(),
  customer,
  domain,
  kind: sequence === 0 ? "seed" : "delta",
  mode: "pull",
  destination: null,
  subscription: id,
  generation,
  sequence,
  previous: null,
  fromCheckpoint: null,
  toCheckpoint: 20,
  entitlementVersion: 1,
  scopeSha256: pins.scopeSha256,
  pinned: "{}",
  created: at,
  expires: at + 24 * hour,
  ...more,
});

async function create({ subscriptions }: TestRegistry, more: Partial<NewSubscription> = {}) {
  return (await subscriptions.create(newSubscription(more), null, most)).subscription;
}

/** Build the one delivery that waits, to its end. */
const complete = (registry: TestRegistry) => completeWith(registry, at, []);

/** How often each outcome was met. */
const countsOf = (outcomes: readonly unknown[]): Readonly<Record<string, number>> =>
  Object.fromEntries(outcomes.map((one) => [String(one), outcomes.filter((other) => other === one).length]));

/** Tests that a registry of subscriptions must pass, for every database. */
export function subscriptionConformance(name: string, withRegistry: WithRegistry): void {
  describe(`subscriptions in ${name}`, () => {
    test("a subscription is created and found, by its customer alone, and its seed is due", () =>
      withRegistry(async ({ subscriptions, entitlements }, again) => {
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        const wanted = newSubscription();
        const { subscription, replayed } = await subscriptions.create(wanted, null, most);
        expect(replayed).toBe(false);
        expect(subscription).toEqual({
          ...wanted,
          state: "active",
          code: null,
          due: at,
          delivery: null,
          generation: 1,
          sequence: 0,
          since: null,
          sinceName: null,
          previous: null,
          pins: null,
          revision: 0,
        });
        const other = (await again()).subscriptions;
        expect(await other.find(customer, wanted.id)).toEqual(subscription);
        expect(await other.find("other", wanted.id)).toBeUndefined();
        expect(await other.list("other", 9)).toEqual([]);
        expect(await other.deliveries("other", wanted.id, 9)).toEqual([]);
      }));

    test("a name is that of one live subscription, and so many are live", () =>
      withRegistry(async ({ subscriptions }, again) => {
        const other = (await again()).subscriptions;
        const same = await Promise.all(
          Array.from({ length: 4 }, (_, i) =>
            codeOf(
              (i % 2 === 0 ? subscriptions : other).create(newSubscription({ name: "one" }), null, most),
            ),
          ),
        );
        expect(countsOf(same)).toEqual({ done: 1, subscription_exists: 3 });
        for (const another of ["two", "three"])
          await subscriptions.create(newSubscription({ name: another }), null, most);
        const more = newSubscription({ name: "four" });
        expect(await codeOf(subscriptions.create(more, null, most))).toBe("too_many_subscriptions");
        const [, , one] = await subscriptions.list(customer, 9);
        if (one === undefined) throw new Error("there are less");
        await subscriptions.step(one, { changes: { state: "canceled" } });
        expect(await codeOf(subscriptions.create(newSubscription({ name: "one" }), null, most))).toBe("done");
        expect((await subscriptions.list(customer, 9)).map(({ name }) => name)).toEqual([
          "one",
          "three",
          "two",
          "one",
        ]);
      }));

    test("a request that comes again gives the subscription that it created", () =>
      withRegistry(async ({ subscriptions }) => {
        const request = { key: "k", fingerprint: sha("f") };
        const first = newSubscription();
        await subscriptions.create(first, request, most);
        expect(await subscriptions.create(newSubscription(), request, most)).toMatchObject({
          replayed: true,
          subscription: { id: first.id },
        });
        const other = subscriptions.create(newSubscription(), { ...request, fingerprint: sha("e") }, most);
        expect(await codeOf(other)).toBe("idempotency_conflict");
        expect(await subscriptions.replay(customer, request)).toMatchObject({ id: first.id });
        const conflicting = subscriptions.replay(customer, { ...request, fingerprint: sha("e") });
        expect(await codeOf(conflicting)).toBe("idempotency_conflict");
        expect(await subscriptions.replay(customer, { ...request, key: "other" })).toBeUndefined();
        expect(await subscriptions.replay("other", request)).toBeUndefined();
      }));

    test("a step is taken once, by one of two who have read the same", () =>
      withRegistry(async (registry, again) => {
        const read = await create(registry);
        const other = (await again()).subscriptions;
        const steps = [registry.subscriptions, other, registry.subscriptions, other].map((subscriptions) =>
          codeOf(subscriptions.step(read, { changes: { pins, due: at + hour }, creates: deliveryOf(read) })),
        );
        expect(countsOf(await Promise.all(steps))).toEqual({ done: 1, subscription_changed: 3 });
        const deliveries = await other.deliveries(customer, read.id, 9);
        expect(deliveries).toHaveLength(1);
        const { generation, sequence } = read;
        expect(await other.deliveries(customer, read.id, 9, { generation, sequence })).toEqual(deliveries);
        const later = [
          { generation, sequence: sequence + 1 },
          { generation: generation + 1, sequence: 0 },
        ];
        for (const from of later) expect(await other.deliveries(customer, read.id, 9, from)).toEqual([]);
        const before = { generation: generation - 1, sequence: 7 };
        expect(await other.deliveries(customer, read.id, 9, before)).toEqual(deliveries);
        expect(await other.find(customer, read.id)).toEqual({
          ...read,
          pins,
          due: at + hour,
          delivery: deliveries[0]?.id,
          revision: 1,
        });
      }));

    test("two deliveries of a subscription are never open, nor complete in one place", () =>
      withRegistry(async (registry) => {
        const { subscriptions } = registry;
        const read = await create(registry);
        const first = await subscriptions.step(read, { changes: {}, creates: deliveryOf(read) });
        const second = () => subscriptions.step(first, { changes: {}, creates: deliveryOf(read) });
        expect(await codeOf(second())).toBe("registry_unavailable");
        expect(await subscriptions.find(customer, read.id)).toEqual(first);
        await complete(registry);
        expect(await registry.deliveries.find(customer, first.delivery ?? "")).toMatchObject({
          noChange: false,
        });
        const repeated = await subscriptions.step(first, { changes: {}, creates: deliveryOf(read) });
        expect(await codeOf(complete(registry))).toBe("registry_unavailable");
        const canceled = await subscriptions.step(repeated, { changes: {}, cancels: "entitlement_changed" });
        const next = { ...canceled, sequence: 1 };
        await subscriptions.step(canceled, { changes: { sequence: 1 }, creates: deliveryOf(next) });
        const states = (await subscriptions.deliveries(customer, read.id, 9)).map(
          ({ sequence, state, code }) => [sequence, state, code],
        );
        expect(states).toEqual([
          [1, "queued", null],
          [0, "canceled", "entitlement_changed"],
          [0, "complete", null],
        ]);
      }));

    test("one waits whose destination is not active any more, and once it is again", () =>
      withRegistry(async (registry) => {
        const { subscriptions, destinations } = registry;
        const destination = await destinations.reserve(newDestination());
        const found = async (failure: string | null) => {
          const { id } = destination;
          await destinations.note(await destinations.beginVerification(customer, id), { at, failure });
        };
        await found(null);
        const pushed = newSubscription({ mode: "push", destination: destination.id });
        const { subscription } = await subscriptions.create(pushed, null, most);
        const active = await subscriptions.step(subscription, { changes: { due: at + hour } });
        const waiting = async () => (await subscriptions.needingStep(at, "", 9)).map(({ id }) => id);
        expect(await waiting()).toEqual([]);
        await found("role_denied");
        expect(await waiting()).toEqual([pushed.id]);
        const suspended = { state: "suspended", code: "destination_degraded", due: at + hour } as const;
        await subscriptions.step(active, { changes: suspended });
        expect(await waiting()).toEqual([]);
        await found(null);
        expect(await waiting()).toEqual([pushed.id]);
      }));

    test("what waits is what is due, what has another entitlement, and what has a delivery that ended", () =>
      withRegistry(async (registry) => {
        const { subscriptions, entitlements } = registry;
        const waiting = async (time = at, after = "") =>
          (await subscriptions.needingStep(time, after, 9)).map(({ id }) => id);
        const [a, b] = [await create(registry), await create(registry)];
        expect(await waiting()).toEqual([a.id, b.id]);
        expect(await waiting(at, a.id)).toEqual([b.id]);
        expect(await subscriptions.needingStep(at, "", 1)).toEqual([a]);
        expect(await waiting(at - 1)).toEqual([]);
        const building = await subscriptions.step(a, { changes: {}, creates: deliveryOf(a) });
        const later = await subscriptions.step(b, { changes: { due: at + hour } });
        expect(await waiting()).toEqual([]);
        await entitlements.install({ customer, version: 2, jws: "b", installed: at });
        expect(await waiting()).toEqual([b.id]);
        const seen = await subscriptions.step(later, { changes: { entitlementVersion: 2, due: null } });
        expect(await waiting(at + 2 * hour)).toEqual([]);
        await complete(registry);
        expect(await waiting()).toEqual([a.id]);
        const paused = await subscriptions.step(building, { changes: { state: "paused" } });
        expect(await waiting()).toEqual([a.id]);
        await subscriptions.step(paused, { changes: { delivery: null, entitlementVersion: 2 } });
        expect(await waiting()).toEqual([]);
        await subscriptions.step(seen, { changes: { state: "suspended", code: "x", due: at } });
        expect(await waiting()).toEqual([b.id]);
      }));

    test("what follows a window is kept while it is delivered, unless the subscription is paused or canceled", () =>
      withRegistry(async (registry) => {
        const { subscriptions, deliveries } = registry;
        const needed = () => deliveries.retention.earliestCheckpoint();
        const [a, b] = [await create(registry), await create(registry)];
        expect(await needed()).toBeUndefined();
        const first = await subscriptions.step(a, { changes: { since: 30, sinceName: "c1:30" } });
        const second = await subscriptions.step(b, { changes: { since: 20, state: "suspended" } });
        expect(await needed()).toBe(20);
        const paused = await subscriptions.step(second, { changes: { state: "paused" } });
        expect(await needed()).toBe(30);
        await subscriptions.step(paused, { changes: {}, creates: deliveryOf(b, { fromCheckpoint: 10 }) });
        expect(await needed()).toBe(10);
        await complete(registry);
        const canceled = await subscriptions.step(first, { changes: { state: "canceled" } });
        expect(canceled.state).toBe("canceled");
        expect(await needed()).toBeUndefined();
        const c = await create(registry);
        await subscriptions.step(c, { changes: {}, creates: deliveryOf(c) });
        await complete(registry);
        // The seed is not settled yet.
        expect(await needed()).toBe(20);
      }));

    test("what subscriptions deliver keeps no export from being asked for", () =>
      withRegistry(async (registry) => {
        const read = await create(registry);
        await registry.subscriptions.step(read, { changes: {}, creates: deliveryOf(read) });
        const asked = { ...deliveryOf(read), kind: "snapshot", subscription: null } as const;
        const request = { operation: "export", key: "k", fingerprint: sha("f") };
        expect(await codeOf(registry.deliveries.create(asked, request, 1))).toBe("done");
      }));
  });
}
