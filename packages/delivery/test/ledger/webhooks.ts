import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestRegistry } from "../../src/testing/registry.ts";
import type { WebhookResult } from "../../src/webhooks/outbox.ts";
import type { NewWebhook, Webhook } from "../../src/webhooks/webhook.ts";
import {
  at,
  claim,
  codeOf,
  complete,
  create,
  customer,
  newDelivery,
  sha,
  terms,
  type WithRegistry,
} from "../support/tables.ts";

const told = { version: 1, scopeSha256: sha("5c09e") };

let made = 0;

const newWebhook = (more: Partial<NewWebhook> = {}): NewWebhook => ({
  id: `00000000-0000-7000-a000-${String(++made).padStart(12, "0")}`,
  customer,
  url: "https://hooks.example/cadastre",
  events: ["entitlement.changed", "delivery.completed", "delivery.canceled"],
  created: at + made,
  told,
  eventPush: null,
  ...more,
});

const sealed = { secret: "sealed", token: null };

const register = ({ webhooks }: TestRegistry, more: Partial<NewWebhook> = {}): Promise<Webhook> =>
  webhooks.register(newWebhook(more), sealed, 8);

const sent: WebhookResult = {
  at: at + 1000,
  status: 204,
  failure: null,
  state: "active",
  message: "done",
  due: at + 1000,
};
const refused: WebhookResult = {
  ...sent,
  status: 500,
  failure: "webhook_refused",
  state: "failing",
  message: "kept",
  due: at + 6000,
};
const later = at + 1000;
const lease = 60_000;
const sendTerms = { lease, wait: 3_600_000, most: 4 };

/** Have a webhook sent a message, and the message claimed. */
async function claimTest({ webhooks }: TestRegistry, { id }: Webhook) {
  await webhooks.test(customer, id, later);
  const sending = await webhooks.outbox.claim(later, sendTerms);
  if (sending === undefined) throw new Error("nothing to send");
  return sending;
}

/** What every registry of webhooks does, whatever its database. */
export function webhookConformance(name: string, open: () => Promise<TestRegistry>): void {
  describe(`webhooks in ${name}`, () => {
    let shared: TestRegistry;
    beforeAll(async () => {
      shared = await open();
      for (const one of [customer, "other"])
        await shared.entitlements.install({ customer: one, version: 1, jws: "a", installed: at });
    });
    afterAll(() => shared.close());

    /** Use the registry of all of them, with no webhook in it. */
    const withRegistry: WithRegistry = async (use) => {
      const others: TestRegistry[] = [];
      await use(shared, async () => {
        const other = await open();
        others.push(other);
        return other;
      });
      for (const other of others) await other.close();
      for (const one of [customer, "other"])
        for (const { id } of await shared.webhooks.list(one)) await shared.webhooks.remove(one, id);
    };

    test("one is registered, and found by its customer alone", () =>
      withRegistry(async (registry, again) => {
        const wanted = newWebhook();
        const registered = await registry.webhooks.register(wanted, sealed, 8);
        const fresh = { state: "active", failure: null, lastStatus: null, lastAttempt: null };
        expect(registered).toEqual({ ...wanted, ...fresh, toldLapse: false, previousUntil: null });
        const { webhooks } = await again();
        expect(await webhooks.find(customer, wanted.id)).toEqual(registered);
        expect(await webhooks.list(customer)).toEqual([registered]);
        expect(await webhooks.find("other", wanted.id)).toBeUndefined();
        expect(await webhooks.list("other")).toEqual([]);
        for (const change of [
          webhooks.remove("other", wanted.id),
          webhooks.rotate("other", wanted.id, "b", at),
          webhooks.test("other", wanted.id, at),
        ].map(codeOf))
          expect(await change).toBe("not_found");
        expect(await codeOf(register(registry, { customer: "nobody" }))).toBe("unknown_customer");
      }));

    test("there are so many of a customer, however many are registered at once", () =>
      withRegistry(async ({ webhooks }) => {
        const asking = Array.from({ length: 5 }, () => codeOf(webhooks.register(newWebhook(), sealed, 3)));
        const codes = await Promise.all(asking);
        const countOf = (code: string) => codes.filter((one) => one === code).length;
        expect([countOf("done"), countOf("too_many_webhooks")]).toEqual([3, 2]);
        const [first] = await webhooks.list(customer);
        await webhooks.remove(customer, first?.id ?? "");
        expect(await codeOf(webhooks.register(newWebhook(), sealed, 3))).toBe("done");
      }));

    test("a rotation keeps the secret before for a time, and no longer one before that", () =>
      withRegistry(async (registry) => {
        const webhook = await register(registry);
        await registry.webhooks.rotate(customer, webhook.id, "second", at + 50);
        const rotated = await registry.webhooks.rotate(customer, webhook.id, "third", at + 100);
        expect(rotated.previousUntil).toBe(at + 100);
        const { secrets } = await claimTest(registry, webhook);
        expect(secrets).toEqual({ secret: "third", previous: "second", token: null });
      }));

    test("a delivery that has ended is told of once, to the webhooks of its customer that want it", () =>
      withRegistry(async (registry, again) => {
        const { webhooks, deliveries } = registry;
        const wanting = [await register(registry), await register(registry)];
        await register(registry, { events: ["delivery.failed"] });
        const foreign = await register(registry, { customer: "other" });
        const { id: theirs } = await create(registry, { customer: "other" });
        await deliveries.cancel("other", theirs, "canceled_by_customer");
        await create(registry);
        const id = await complete(registry);
        await create(registry);
        const other = (await again()).webhooks;
        const [one, two] = await Promise.all([
          webhooks.outbox.gather(later, 10),
          other.outbox.gather(later, 10),
        ]);
        expect(one + two).toBe(2);
        const first = await webhooks.outbox.claim(later, sendTerms);
        // The customer who is sent nothing comes first.
        const third = await other.outbox.claim(later, sendTerms);
        const second = await webhooks.outbox.claim(later, sendTerms);
        expect([third?.webhook.id, third?.message.delivery?.id]).toEqual([foreign.id, theirs]);
        expect(await webhooks.outbox.claim(later, sendTerms)).toBeUndefined();
        expect([first?.webhook.id, second?.webhook.id]).toEqual(wanting.map((one) => one.id));
        expect(first?.message).toMatchObject({ type: "delivery.completed", at, delivery: { id } });
        expect(first?.message.id).toBe(second?.message.id);
        // The one that is still to be built.
        const open = await deliveries.queue.claim("w1", terms);
        await deliveries.cancel(customer, open?.delivery.id ?? "", "canceled_by_customer");
        expect(await webhooks.outbox.gather(later, 10)).toBe(1);
        if (first !== undefined) await webhooks.outbox.note(first, sent);
        expect((await webhooks.outbox.claim(later, sendTerms))?.message.type).toBe("delivery.canceled");
      }));

    test("a delivery whose end is not noted tells nothing", () =>
      withRegistry(async (registry) => {
        await register(registry);
        await create(registry);
        const held = await claim(registry);
        const sealing = registry.deliveries.queue.seal(
          { ...held, fence: held.fence + 1 },
          { text: "{}", sha256: sha("1"), signature: "{}" },
          at,
        );
        expect(await codeOf(sealing)).toBe("lease_lost");
        expect(await registry.webhooks.outbox.gather(later, 10)).toBe(0);
      }));

    test("many deliveries are told of in groups, and each once", () =>
      withRegistry(async (registry) => {
        const { webhooks, deliveries } = registry;
        await register(registry);
        for (let i = 0; i < 3; i++) {
          const delivery = newDelivery();
          await deliveries.create(
            delivery,
            { operation: "export", key: delivery.id, fingerprint: sha("f") },
            9,
          );
          await deliveries.cancel(customer, delivery.id, "canceled_by_customer");
        }
        const gather = () => webhooks.outbox.gather(later, 2);
        expect([await gather(), await gather(), await gather()]).toEqual([2, 1, 0]);
        const ids = new Set<string>();
        for (;;) {
          const sending = await webhooks.outbox.claim(later, sendTerms);
          if (sending === undefined) break;
          ids.add(sending.message.delivery?.id ?? "");
          await webhooks.outbox.note(sending, sent);
        }
        expect(ids.size).toBe(3);
      }));

    test("an entitlement is compared when another one is installed, and from time to time, by one", () =>
      withRegistry(async (registry, again) => {
        const { webhooks, entitlements } = registry;
        const webhook = await register(registry);
        await register(registry, { events: ["delivery.completed"] });
        const other = (await again()).webhooks;
        const claimBoth = async (time: number) => {
          const both = [webhooks, other].map(({ outbox }) => outbox.claimComparison(time, 500));
          return (await Promise.all(both)).flatMap((one) => one?.id ?? []);
        };
        // Of two at once none may get it: somebody does then.
        const first = [...(await claimBoth(later)), ...(await claimBoth(later))];
        expect(first).toEqual([webhook.id]);
        expect(await claimBoth(later + 499)).toEqual([]);
        expect(await claimBoth(later + 500)).toEqual([webhook.id]);
        await entitlements.install({ customer, version: 2, jws: "b", installed: at });
        expect(await claimBoth(later + 501)).toEqual([webhook.id]);
        expect(await claimBoth(later + 502)).toEqual([]);
      }));

    test("what was found is told once, with its version", () =>
      withRegistry(async (registry) => {
        const { webhooks } = registry;
        const webhook = await register(registry);
        const now = { version: 2, scopeSha256: sha("2") };
        expect(await webhooks.outbox.tell(webhook, now, { at: later, revocation: null })).toBe(true);
        expect(await webhooks.outbox.tell(webhook, now, { at: later, revocation: null })).toBe(false);
        const second = (await webhooks.find(customer, webhook.id)) as Webhook;
        expect(second.told).toEqual(now);
        expect(await webhooks.outbox.tell(second, null, { at: later + 1, revocation: null })).toBe(true);
        const third = (await webhooks.find(customer, webhook.id)) as Webhook;
        expect(third.told).toBeNull();
        expect(await webhooks.outbox.tell(third, now, { at: later + 2, revocation: null })).toBe(true);
        const versions: unknown[] = [];
        for (let i = 0; i < 3; i++) {
          const sending = await webhooks.outbox.claim(later + 2, sendTerms);
          if (sending === undefined) break;
          versions.push([sending.message.type, sending.message.entitlementVersion]);
          await webhooks.outbox.note(sending, sent);
        }
        expect(versions).toEqual([2, null, 2].map((version) => ["entitlement.changed", version]));
      }));

    test("what has lapsed and is revoked later is told of in two steps, each once", () =>
      withRegistry(async (registry) => {
        const { outbox, ...webhooks } = registry.webhooks;
        const both = { events: ["entitlement.changed", "entitlement.revoked"] } as const;
        const [one, other] = [await register(registry, both), await register(registry, both)];
        const read = async () => (await webhooks.find(customer, one.id)) as Webhook;
        const types = async () => {
          const found: string[] = [];
          for (;;) {
            const sending = await outbox.claim(later + 9, sendTerms);
            if (sending === undefined) return found.toSorted();
            found.push(sending.message.type);
            await outbox.note(sending, sent);
          }
        };
        expect(await outbox.tell(one, null, { at: later, revocation: null })).toBe(true);
        expect(await read()).toMatchObject({ told: null, toldLapse: true });
        expect(await types()).toEqual(["entitlement.changed", "entitlement.changed"]);
        expect(await outbox.tell(await read(), null, { at: later + 1, revocation: null })).toBe(false);
        expect(await outbox.tell(await read(), null, { at: later + 2, revocation: "all" })).toBe(true);
        expect(await read()).toMatchObject({ told: null, toldLapse: false });
        expect(await types()).toEqual(["entitlement.revoked", "entitlement.revoked"]);
        const second = (await webhooks.find(customer, other.id)) as Webhook;
        expect(await outbox.tell(second, null, { at: later + 3, revocation: "all" })).toBe(false);
        // At once, it is told of both.
        await outbox.tell(second, { version: 2, scopeSha256: sha("2") }, { at: later + 4, revocation: null });
        expect(await outbox.tell(await read(), null, { at: later + 5, revocation: "all" })).toBe(true);
        expect((await types()).filter((type) => type === "entitlement.revoked")).toHaveLength(2);
        expect(await outbox.tell(await read(), null, { at: later + 6, revocation: "all" })).toBe(false);
      }));

    test("what was found is told to all webhooks of the customer that want it and do not know it, as one", () =>
      withRegistry(async (registry) => {
        const { webhooks } = registry;
        const now = { version: 2, scopeSha256: sha("2") };
        const first = await register(registry);
        await register(registry, { events: ["delivery.completed"] });
        const behind = await register(registry, { told: null });
        await register(registry, { told: now });
        await register(registry, { customer: "other" });
        expect(await webhooks.outbox.tell(first, now, { at: later, revocation: null })).toBe(true);
        expect(await webhooks.outbox.tell(behind, now, { at: later, revocation: null })).toBe(false);
        const sendings = [
          await webhooks.outbox.claim(later, sendTerms),
          await webhooks.outbox.claim(later, sendTerms),
        ];
        expect(sendings.map((sending) => sending?.webhook)).toEqual([
          { ...first, told: now },
          { ...behind, told: now },
        ]);
        expect(sendings[0]?.message).toEqual(sendings[1]?.message);
        expect(await webhooks.outbox.claim(later, sendTerms)).toBeUndefined();
      }));

    test("a message is one sender's, until its lease ends; who has lost it can note nothing", () =>
      withRegistry(async (registry, again) => {
        const { outbox } = registry.webhooks;
        const webhook = await register(registry);
        const first = await claimTest(registry, webhook);
        const other = (await again()).webhooks.outbox;
        expect(await other.claim(later + lease - 1, sendTerms)).toBeUndefined();
        const second = await other.claim(later + lease, sendTerms);
        expect(second?.message).toEqual(first.message);
        expect(await outbox.note(first, sent)).toBe(false);
        expect(await outbox.drop(first)).toBe(false);
        if (second !== undefined) expect(await other.note(second, sent)).toBe(true);
        expect(await other.claim(later + 2 * lease, sendTerms)).toBeUndefined();
      }));

    test("a customer is sent so many messages at once, and one who is sent fewer comes first", () =>
      withRegistry(async (registry, again) => {
        const { webhooks } = registry;
        const own = [await register(registry), await register(registry), await register(registry)];
        const foreign = await register(registry, { customer: "other" });
        for (const { id } of own) await webhooks.test(customer, id, later);
        await webhooks.test("other", foreign.id, later + 5);
        const outboxes = [webhooks.outbox, (await again()).webhooks.outbox];
        const claimed: (string | undefined)[] = [];
        for (let i = 0; i < 4; i++) {
          const sending = await outboxes[i % 2]?.claim(later + 5, { ...sendTerms, most: 2 });
          claimed.push(sending?.webhook.id);
        }
        expect(claimed).toEqual([own[0]?.id, foreign.id, own[1]?.id, undefined]);
        const last = await webhooks.outbox.claim(later + 5 + lease, { ...sendTerms, most: 2 });
        expect(last?.webhook.id).toBe(own[0]?.id);
      }));

    test("nothing waits for a clock that was set back by a day", () =>
      withRegistry(async (registry) => {
        const { outbox } = registry.webhooks;
        const webhook = await register(registry);
        const before = later - 86_400_000;
        const first = await claimTest(registry, webhook);
        const leased = await outbox.claim(before, sendTerms);
        expect(leased?.message).toEqual(first.message);
        expect(await outbox.note(first, sent)).toBe(false);
        if (leased !== undefined) await outbox.note(leased, refused);
        expect((await outbox.claim(before, sendTerms))?.attempts).toBe(1);
        expect((await outbox.claimComparison(later, 500))?.id).toBe(webhook.id);
        expect(await outbox.claimComparison(later, 500)).toBeUndefined();
        expect((await outbox.claimComparison(before, 500))?.id).toBe(webhook.id);
      }));

    test("what has failed waits, and counts its attempts until it arrives", () =>
      withRegistry(async (registry) => {
        const { webhooks } = registry;
        const webhook = await register(registry);
        const first = await claimTest(registry, webhook);
        expect([first.attempts, await webhooks.outbox.note(first, refused)]).toEqual([0, true]);
        const failing = {
          state: "failing",
          failure: "webhook_refused",
          lastStatus: 500,
          lastAttempt: at + 1000,
        };
        expect(await webhooks.find(customer, webhook.id)).toMatchObject(failing);
        expect(await webhooks.outbox.claim(refused.due - 1, sendTerms)).toBeUndefined();
        const second = await webhooks.outbox.claim(refused.due, sendTerms);
        expect([second?.attempts, second?.message]).toEqual([1, first.message]);
        if (second !== undefined) await webhooks.outbox.note(second, sent);
        const active = { state: "active", failure: null, lastStatus: 204 };
        expect(await webhooks.find(customer, webhook.id)).toMatchObject(active);
        // A test is not kept waiting, and there is one at a time.
        const third = await claimTest(registry, webhook);
        await webhooks.outbox.note(third, refused);
        await webhooks.test(customer, webhook.id, later);
        expect((await webhooks.outbox.claim(later, sendTerms))?.message).toEqual(third.message);
      }));

    test("a test that is asked for during an attempt is not undone by its end", () =>
      withRegistry(async (registry) => {
        const { webhooks } = registry;
        const webhook = await register(registry);
        const first = await claimTest(registry, webhook);
        await webhooks.test(customer, webhook.id, later + 5);
        expect(await webhooks.outbox.note(first, { ...refused, due: later + 10_000 })).toBe(true);
        expect(await webhooks.outbox.claim(later + 4, sendTerms)).toBeUndefined();
        const second = await webhooks.outbox.claim(later + 5, sendTerms);
        expect([second?.message, second?.attempts]).toEqual([first.message, 1]);
        if (second !== undefined) await webhooks.outbox.note(second, { ...refused, due: later + 10_000 });
        expect(await webhooks.outbox.claim(later + 9_999, sendTerms)).toBeUndefined();
        expect(await webhooks.outbox.claim(later + 10_000, sendTerms)).toBeDefined();
      }));

    test("one that defers is asked again later; a message that is dropped is gone", () =>
      withRegistry(async (registry) => {
        const { outbox } = registry.webhooks;
        const first = await claimTest(registry, await register(registry));
        expect(await outbox.defer(first, later + 10)).toBe(true);
        expect(await outbox.claim(later + 9, sendTerms)).toBeUndefined();
        const second = await outbox.claim(later + 10, sendTerms);
        expect(second?.attempts).toBe(0);
        if (second !== undefined) expect(await outbox.drop(second)).toBe(true);
        expect(await outbox.claim(later + 10, sendTerms)).toBeUndefined();
      }));

    test("one that is disabled is told nothing more, and one that is removed is gone", () =>
      withRegistry(async (registry) => {
        const { webhooks } = registry;
        const [disabled, removed] = [await register(registry), await register(registry)];
        const sending = await claimTest(registry, disabled);
        await webhooks.outbox.note(sending, { ...refused, status: 410, state: "disabled", message: "done" });
        expect(await codeOf(webhooks.test(customer, disabled.id, later))).toBe("webhook_disabled");
        const held = await claimTest(registry, removed);
        expect(await webhooks.remove(customer, removed.id)).toMatchObject({ id: removed.id });
        expect(await webhooks.outbox.note(held, sent)).toBe(false);
        await create(registry);
        await complete(registry);
        expect(await webhooks.outbox.gather(later, 10)).toBe(1);
        expect(await webhooks.outbox.claimComparison(later, 10)).toBeUndefined();
        expect(await webhooks.outbox.tell(disabled, null, { at: later, revocation: null })).toBe(false);
        expect(await webhooks.outbox.claim(later + 10_000, sendTerms)).toBeUndefined();
      }));

    const eventful = { events: ["entity.changed"], eventPush: { source: "feed", sent: 40 } } as const;

    test("one for entity events is woken once, and goes on from the last one that arrived", () =>
      withRegistry(async (registry, again) => {
        const { webhooks } = registry;
        const wanted = newWebhook(eventful);
        const webhook = await webhooks.register(wanted, { secret: "sealed", token: "sealed token" }, 8);
        await register(registry);
        const other = await again();
        expect(await webhooks.outbox.idleForEvents()).toEqual([webhook]);
        await Promise.all([webhooks, other.webhooks].map(({ outbox }) => outbox.wake(webhook, later)));
        expect(await webhooks.outbox.idleForEvents()).toEqual([]);
        const sending = await webhooks.outbox.claim(later, sendTerms);
        if (sending === undefined) throw new Error("nothing to send");
        expect([sending.message.type, sending.secrets]).toEqual([
          "entity.changed",
          { secret: "sealed", previous: null, token: "sealed token" },
        ]);
        const continued = { ...sent, at: later + 7, message: "continued", sent: 50 } as const;
        expect(await webhooks.outbox.note(sending, continued)).toBe(true);
        const next = await other.webhooks.outbox.claim(later + 8, sendTerms);
        if (next === undefined) throw new Error("nothing to send");
        expect([next.webhook.eventPush, next.message]).toEqual([
          { source: "feed", sent: 50 },
          { ...sending.message, at: later + 7 },
        ]);
        // A void claim changes nothing.
        expect(await webhooks.outbox.note(sending, { ...continued, sent: 90 })).toBe(false);
        expect(await webhooks.outbox.note(next, { ...sent, sent: 60 })).toBe(true);
        expect(await webhooks.outbox.claim(later + 9, sendTerms)).toBeUndefined();
        expect((await webhooks.outbox.idleForEvents()).map(({ eventPush }) => eventPush?.sent)).toEqual([60]);
      }));

    test("one that is suspended is not woken, until a test is asked for", () =>
      withRegistry(async ({ webhooks }) => {
        const webhook = await webhooks.register(newWebhook(eventful), { secret: "s", token: "t" }, 8);
        await webhooks.outbox.wake(webhook, later);
        const sending = await webhooks.outbox.claim(later, sendTerms);
        if (sending === undefined) throw new Error("nothing to send");
        await webhooks.outbox.note(sending, { ...refused, state: "suspended" });
        expect(await webhooks.outbox.claim(later + 1e9, sendTerms)).toBeUndefined();
        expect((await webhooks.test(customer, webhook.id, later + 1e9)).state).toBe("failing");
        const again = await webhooks.outbox.claim(later + 1e9, sendTerms);
        expect(again).toMatchObject({ attempts: 0, message: { type: "entity.changed", at: later + 1e9 } });
      }));
  });
}
