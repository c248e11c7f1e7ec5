import { describe, expect, test } from "vitest";
import { webhookEvents } from "../../src/webhooks/webhook.ts";
import { newDestination } from "../support/new-destination.ts";
import {
  addPart,
  at,
  claim,
  codeOf,
  complete,
  create,
  customer,
  day,
  lapsed,
  manifest,
  newPart,
  sha,
  terms,
  type WithRegistry,
} from "../support/tables.ts";

const limit = 10;

/** Tests of what an operator sees and does, for every database. */
export function operationsConformance(name: string, withRegistry: WithRegistry): void {
  describe(`operations in ${name}`, () => {
    test("deliveries of all customers are listed, the last created first, and found by customer, state and subscription", () =>
      withRegistry(async (registry) => {
        const { deliveries, entitlements, operations } = registry;
        await entitlements.install({ customer: "other", version: 1, jws: "a", installed: at });
        const first = await create(registry, { subscription: "s" });
        await complete(registry);
        const second = await create(registry, { customer: "other", created: at + 1 });
        const third = await create(registry, { created: at + 2 });
        await deliveries.cancel(customer, third.id, "canceled_by_operator");
        const list = async (filter: Partial<Parameters<typeof operations.deliveries>[0]> = {}) =>
          (await operations.deliveries({ limit, ...filter })).map(({ id }) => id);
        expect(await list()).toEqual([third.id, second.id, first.id]);
        expect(await list({ limit: 1 })).toEqual([third.id]);
        expect(await list({ customer: "other" })).toEqual([second.id]);
        expect(await list({ states: ["complete", "canceled"] })).toEqual([third.id, first.id]);
        expect(await list({ customer, states: ["queued"] })).toEqual([]);
        expect(await list({ subscription: "s" })).toEqual([first.id]);
      }));

    test("a waiting delivery has its place in the queue, and one that is built its worker and its parts", () =>
      withRegistry(async (registry) => {
        const { deliveries, operations } = registry;
        const first = await create(registry, { created: at - 1 });
        await create(registry, { mode: "both", destination: "d" });
        const last = await create(registry, { created: at + 1 });
        const waiting = await operations.delivery(last.id);
        expect(waiting).toMatchObject({ ahead: 2, worker: null, claimed: null, fault: null });
        expect(waiting?.finished).toEqual({ parts: 0, rows: 0, bytes: 0 });
        const lost = await claim(registry, lapsed);
        await addPart(registry, lost, newPart(0));
        const held = await claim(registry, terms, "w2");
        expect(held.id).toBe(first.id);
        await addPart(registry, held, newPart(1));
        const built = await operations.delivery(first.id);
        expect(built).toMatchObject({
          ahead: 0,
          worker: "w2",
          finished: { parts: 2, rows: 20, bytes: 10_000_000_000 },
        });
        expect(built?.sinceClaim.parts).toBeGreaterThanOrEqual(1);
        expect(built?.due).toBeGreaterThan(built?.now ?? 0);
        expect(await operations.claimed()).toEqual([
          { id: first.id, customer, state: "building", worker: "w2", claimed: built?.claimed },
        ]);
        // It is due in a minute, so another one is claimed before it.
        await deliveries.queue.retry(held, 60_000, 8, "parts_full");
        expect(await operations.delivery(first.id)).toMatchObject({ worker: null, fault: "parts_full" });
        expect(await operations.delivery(last.id)).toMatchObject({ ahead: 1 });
        expect(await operations.delivery("00000000-0000-7000-8000-999999999999")).toBeUndefined();
      }));

    test("a delivery that waits for its next attempt is tried at once", () =>
      withRegistry(async (registry) => {
        const { deliveries, operations } = registry;
        const { id } = await create(registry);
        const held = await claim(registry);
        expect(await codeOf(operations.retry(id, at))).toBe("delivery_not_retried");
        await deliveries.queue.retry(held, 60_000, 8, "parts_full");
        expect(await deliveries.queue.claim("w1", terms)).toBeUndefined();
        expect(await operations.retry(id, at)).toMatchObject({ state: "queued", attempts: 0 });
        expect(await claim(registry)).toMatchObject({ id });
      }));

    test("an export that failed is built anew, one that was complete, canceled or of a subscription is not", () =>
      withRegistry(async (registry) => {
        const { deliveries, operations } = registry;
        const { id } = await create(registry, { mode: "push", destination: "d" });
        await complete(registry);
        const publishing = await deliveries.queue.claim("w1", { ...terms, task: "publish" });
        if (publishing === undefined) throw new Error("nothing to publish");
        await deliveries.queue.end(publishing.claim, "failed", "destination_denied");
        expect(await codeOf(operations.retry(id, at + 14 * day))).toBe("delivery_not_retried");
        expect(await operations.retry(id, at)).toMatchObject({
          state: "queued",
          code: null,
          manifestSha256: null,
        });
        // With the same bytes as before.
        expect(await complete(registry)).toBe(id);
        expect(await deliveries.manifest(id)).toMatchObject(manifest);
        expect(await deliveries.parts(id)).toHaveLength(2);

        const followed = await create(registry, { subscription: "s" });
        await deliveries.queue.end(await claim(registry), "failed", "build_failed");
        await create(registry);
        const done = await complete(registry);
        const canceled = await create(registry);
        await deliveries.cancel(customer, canceled.id, "canceled_by_customer");
        for (const other of [followed.id, done, canceled.id])
          expect(await codeOf(operations.retry(other, at))).toBe("delivery_not_retried");
        expect(await codeOf(operations.retry("00000000-0000-7000-8000-999999999999", at))).toBe("not_found");
      }));

    test("figures count deliveries by state and code, their parts, and how far subscriptions have come", () =>
      withRegistry(async (registry) => {
        const { deliveries, operations, subscriptions } = registry;
        const nothing = { parts: 0, rows: 0, bytes: 0 };
        expect(await operations.figures(5)).toMatchObject({
          rate: { rows: 0, bytes: 0 },
          stored: nothing,
          reach: [],
        });
        const subscription = "00000000-0000-7000-8000-0000000000aa";
        const daily = {
          name: "daily",
          domain: "listing",
          profile: "p",
          mode: "pull",
          destination: null,
        } as const;
        await subscriptions.create(
          {
            ...daily,
            id: subscription,
            customer,
            cadenceSeconds: 86_400,
            preferredMinuteOfDay: null,
            narrowing: null,
            emptyDeliveryBehavior: "manifest_only",
            entitlementVersion: 1,
            created: at,
          },
          null,
          5,
        );
        const seed = await create(registry, { subscription });
        await complete(registry, at + 5);
        const loaded = { generation: 1, sequence: 0, manifestSha256: manifest.sha256, reference: "r" };
        await deliveries.acknowledge(customer, seed.id, { ...loaded, at: at + 9 });
        const delta = await create(registry, { subscription, sequence: 1, created: at + 10 });
        await complete(registry, at + 15, []);
        await create(registry);
        await deliveries.queue.end(await claim(registry), "failed", "build_failed");
        await create(registry);
        const [found] = await subscriptions.list(customer, 1);
        if (found !== undefined)
          await subscriptions.step(found, {
            changes: { state: "suspended", code: "build_failed", due: null },
          });
        const figures = await operations.figures(5);
        expect(figures.open).toEqual({ queued: 1, building: 0, sealed: 0, publishing: 0 });
        expect(figures.failed).toEqual(new Map([["build_failed", 1]]));
        expect(figures.suspended).toEqual(new Map([["build_failed", 1]]));
        expect(figures.stored).toEqual({ parts: 2, rows: 20, bytes: 10_000_000_000 });
        expect(figures.rate.rows).toBeCloseTo(20 / 300);
        expect(figures.reach).toEqual([
          {
            subscription,
            delivered: { id: delta.id, generation: 1, sequence: 1, asOf: at + 10, at: at + 15 },
            acknowledged: { id: seed.id, generation: 1, sequence: 0, asOf: at, at: at + 9 },
          },
        ]);
        expect((await operations.figures(0)).reach).toEqual([]);
      }));

    test("every reference that a customer gives is evidence, each once", () =>
      withRegistry(async (registry) => {
        const { deliveries, operations } = registry;
        const { id } = await create(registry);
        await complete(registry);
        const loaded = { generation: 1, sequence: 0, manifestSha256: manifest.sha256 };
        for (const [nth, reference] of ["b", "a", "b", "a"].entries())
          await deliveries.acknowledge(customer, id, { ...loaded, reference, at: at + nth });
        const evidence = {
          ...loaded,
          delivery: id,
          customer,
          subscription: null,
          reference: "b",
          at,
          references: [
            { reference: "b", at },
            { reference: "a", at: at + 1 },
          ],
        };
        expect(await operations.acknowledgements({ limit })).toEqual([evidence]);
        expect(await operations.acknowledgements({ limit, customer, delivery: id })).toEqual([evidence]);
        expect(await operations.acknowledgements({ limit, customer: "other" })).toEqual([]);
        expect(await operations.acknowledgements({ limit, delivery: "d" })).toEqual([]);
      }));

    test("references of one delivery are bounded", () =>
      withRegistry(async (registry) => {
        const { deliveries } = registry;
        const { id } = await create(registry);
        await complete(registry);
        const say = (reference: string) =>
          deliveries.acknowledge(customer, id, {
            generation: 1,
            sequence: 0,
            manifestSha256: manifest.sha256,
            reference,
            at,
          });
        for (let nth = 0; nth < 1000; nth++) await say(`load ${nth}`);
        expect(await codeOf(say("load 1000"))).toBe("too_many_acknowledgements");
        expect(await say("load 999")).toMatchObject({ first: false });
      }));

    test("destinations and webhooks are listed, and a disabled webhook is resumed", () =>
      withRegistry(async (registry) => {
        const { destinations, operations, webhooks } = registry;
        const [one, two] = [newDestination(), newDestination({ prefix: "other" })];
        for (const destination of [one, two]) await destinations.reserve(destination);
        await destinations.disable(customer, one.id);
        const listed = await operations.destinations({ limit });
        expect(listed.map(({ id }) => id)).toEqual([two.id, one.id]);
        expect(await operations.destinations({ limit, states: ["disabled"] })).toEqual(listed.slice(1));
        expect(await operations.destination(two.id)).toEqual(listed[0]);
        const id = "00000000-0000-7000-a000-0000000000ff";
        const told = { version: 1, scopeSha256: sha("5c") };
        const url = "https://hooks.example/cadastre";
        const webhook = { id, customer, url, events: webhookEvents, created: at, told, eventPush: null };
        await webhooks.register(webhook, { secret: "sealed", token: null }, 8);
        await webhooks.test(customer, id, at + 1);
        const sending = await webhooks.outbox.claim(at + 1, { lease: 1000, wait: 3_600_000, most: 4 });
        if (sending === undefined) throw new Error("nothing to send");
        expect(await operations.webhooks({ limit })).toMatchObject([
          { waiting: 1, oldest: at + 1, webhook: { id } },
        ]);
        const gone = {
          at,
          status: 410,
          failure: "webhook_gone",
          state: "disabled",
          message: "done",
          due: at,
        } as const;
        await webhooks.outbox.note(sending, gone);
        expect(await operations.webhook(id)).toMatchObject({
          waiting: 0,
          oldest: null,
          webhook: { state: "disabled" },
        });
        expect(await operations.resumeWebhook(id, at + 2)).toMatchObject({ id, state: "active" });
        expect(await webhooks.test(customer, id, at + 3)).toMatchObject({ state: "active" });
        expect(await codeOf(operations.resumeWebhook("00000000-0000-7000-a000-0000000000fe", at))).toBe(
          "not_found",
        );
      }));
  });
}
