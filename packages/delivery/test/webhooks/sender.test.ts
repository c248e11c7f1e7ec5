import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EntitlementError, type Scope } from "@cadastre/entitlement";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createWebhookSender,
  createWebhooks,
  createWorker,
  type IssuedWebhook,
  type Webhook,
  type WebhookReport,
  type WebhookSenderOptions,
  type Webhooks,
} from "../../src/index.ts";
import { answerWith, type Received, type Receiver, startReceiver } from "../../src/testing/receiver.ts";
import { openSqliteTestRegistry, type TestRegistry } from "../../src/testing/registry.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import { admit, at, caller, customer, deliveriesOf, meansOf, order } from "../support/workshop.ts";

const folder = scratchFolder();
const file = join(folder, "registry.sqlite");
const place = { file, parts: join(folder, "parts") };
const key = Buffer.alloc(32, 7);
const second = 1000;
const hour = 3600 * second;

let registry: TestRegistry;
let receiver: Receiver;
beforeAll(async () => {
  registry = await openSqliteTestRegistry({ file });
  receiver = await startReceiver();
  await admit(registry);
});
afterAll(async () => {
  await receiver.stop();
  await registry.close();
});

let clock: { now: number };
let granted: () => Scope;
let webhooks: Webhooks;
beforeEach(() => {
  clock = { now: at };
  granted = () => scopeFor();
  receiver.received.length = 0;
  receiver.answer = answerWith(204);
  webhooks = createWebhooks({
    registry: registry.webhooks,
    key,
    loopback: true,
    sendsEvents: false,
    clock: () => clock.now,
  });
});
afterEach(async () => {
  for (const { id } of await webhooks.list(customer)) await webhooks.remove(customer, id);
});

const senderOf = (more: Partial<WebhookSenderOptions> = {}) =>
  createWebhookSender({
    outbox: registry.webhooks.outbox,
    key,
    loopback: true,
    timeout: 2000,
    scopeOf: async () => granted(),
    clock: () => clock.now,
    random: () => 1,
    ...more,
  });

/** The sender's outbox, which tells when the webhook may be sent something again. */
let due = 0;
const observed = (): WebhookSenderOptions["outbox"] => ({
  ...registry.webhooks.outbox,
  note: (sending, result) => {
    due = result.due;
    return registry.webhooks.outbox.note(sending, result);
  },
});

let asked = 0;
/** Ask for so many deliveries, and cancel them. */
async function cancelDeliveries(count: number): Promise<void> {
  // Their ids follow from the time.
  const { create, cancel } = deliveriesOf(registry, place, () => at + asked);
  for (let i = 0; i < count; i++) {
    const request = {
      domain: "listing",
      deliveryMode: "pull",
      idempotencyKey: `canceled ${++asked}`,
    } as const;
    await cancel(caller, (await create(caller, request)).delivery.id);
  }
}

const register = (events?: readonly string[]): Promise<IssuedWebhook> =>
  webhooks.register(scopeFor(), { url: receiver.url, events });
const stateOf = async ({ id }: Webhook) => {
  const { state, failure, lastStatus } = await webhooks.find(customer, id);
  return [state, failure, lastStatus];
};
/** Send what waits; gives what became of it. */
async function sendAll(sender = senderOf()): Promise<readonly WebhookReport["outcome"][]> {
  const outcomes: WebhookReport["outcome"][] = [];
  for (let report = await sender.send(); report !== undefined; report = await sender.send())
    outcomes.push(report.outcome);
  return outcomes;
}
const datasets = [{ dataset_id: "0195502f-6c00-7000-8000-000000000000", resources: {} }];
const told = () => receiver.received.map(({ body }) => JSON.parse(body) as { type: string; data: object });
const idOf = ({ headers }: Received) => headers["webhook-id"];

/** Signatures by the text of the standard. */
const isSignedBy = (secret: string, { headers, body }: Received): boolean => {
  const text = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const bytes = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signature = `v1,${createHmac("sha256", bytes).update(text).digest("base64")}`;
  return String(headers["webhook-signature"]).split(" ").includes(signature);
};

describe("what is told", () => {
  test("a delivery that is complete is told of, in ids alone, signed and once", async () => {
    const { secret } = await register();
    const [delivery] = await order(registry, place);
    await createWorker({ ...meansOf(registry, place), clock: () => clock.now }).work();
    const sender = senderOf();
    await sender.gather();
    await sender.gather();
    expect(await sendAll()).toEqual(["sent"]);
    expect(told()).toEqual([
      {
        type: "delivery.completed",
        timestamp: new Date(at).toISOString(),
        data: {
          customer_id: customer,
          delivery_id: delivery?.id,
          subscription_id: null,
          generation: 1,
          sequence: 0,
        },
      },
    ]);
    const [received] = receiver.received as [Received];
    expect(received.headers["webhook-timestamp"]).toBe(String(at / 1000));
    expect(idOf(received)).toMatch(/^msg_[0-9A-HJKMNP-TV-Z]{26}$/);
    expect([isSignedBy(secret, received), isSignedBy(`${secret.slice(0, -4)}AAA=`, received)]).toEqual([
      true,
      false,
    ]);
  });

  test("another entitlement is told of once: a version, a scope, an end", async () => {
    const { webhook } = await register(["entitlement.changed"]);
    const sender = senderOf();
    const versions = () =>
      told().map(({ data }) => (data as { entitlement_version: unknown }).entitlement_version);
    const look = async () => {
      clock.now += 61 * second;
      await sender.gather();
      await sender.gather();
      await sendAll();
    };
    await look();
    expect(versions()).toEqual([]);
    granted = () => scopeFor({ ver: 2 });
    await look();
    granted = () => scopeFor({ ver: 2, products: ["listing", "property"] });
    await look();
    granted = () => {
      throw new EntitlementError("entitlement_expired");
    };
    await look();
    await look();
    expect(versions()).toEqual([2, 2, null]);
    // What cannot be verified has not changed.
    granted = () => {
      throw new EntitlementError("key_set_stale");
    };
    await look();
    expect(versions()).toHaveLength(3);
    expect(new Set(receiver.received.map(idOf)).size).toBe(3);
    expect(await stateOf(webhook)).toEqual(["active", null, 204]);
  });

  test("who is granted nothing is told that, and not of deliveries; who cannot be verified is told later", async () => {
    const { webhook } = await register();
    granted = () => {
      throw new EntitlementError("key_set_stale");
    };
    await webhooks.test(customer, webhook.id);
    expect(await sendAll()).toEqual(["deferred"]);
    granted = () => {
      throw new EntitlementError("entitlement_expired");
    };
    clock.now += 61 * second;
    await senderOf().gather();
    // The test came first.
    expect(await sendAll()).toEqual(["dropped", "sent"]);
    expect(told().map(({ type }) => type)).toEqual(["entitlement.changed"]);
  });

  test("a removed entitlement is told of with the duty to purge, one that has expired is not", async () => {
    await register();
    const types = () =>
      told()
        .map(({ type }) => type)
        .toSorted();
    const look = async () => {
      clock.now += 61 * second;
      await senderOf().gather();
    };
    granted = () => {
      throw new EntitlementError("entitlement_expired");
    };
    await look();
    await sendAll();
    expect(types()).toEqual(["entitlement.changed"]);
    granted = () => scopeFor({ ver: 2, datasets });
    await look();
    granted = () => {
      throw new EntitlementError("entitlement_removed");
    };
    await look();
    await sendAll();
    const revoked = told().filter(({ type }) => type === "entitlement.revoked");
    expect(revoked.map(({ data }) => data)).toEqual([
      { customer_id: customer, entitlement_version: null, purge: { required: true } },
    ]);
    await look();
    expect(await sendAll()).toEqual([]);
  });

  test("one that has expired and is removed later is told of with that duty, once", async () => {
    const [first] = [await register(), await register()];
    const look = async (code: "entitlement_expired" | "entitlement_removed") => {
      granted = () => {
        throw new EntitlementError(code);
      };
      for (let i = 0; i < 2; i++) {
        clock.now += 61 * second;
        await senderOf().gather();
      }
      await sendAll();
    };
    const revoked = () => told().filter(({ type }) => type === "entitlement.revoked");
    await look("entitlement_expired");
    expect(told().map(({ type }) => type)).toEqual(Array(2).fill("entitlement.changed"));
    await look("entitlement_expired");
    expect(revoked()).toEqual([]);
    await look("entitlement_removed");
    const duty = { customer_id: customer, entitlement_version: null, purge: { required: true } };
    expect(revoked().map(({ data }) => data)).toEqual([duty, duty]);
    await look("entitlement_removed");
    await look("entitlement_expired");
    await look("entitlement_removed");
    expect(told()).toHaveLength(4);
    expect(await registry.webhooks.find(customer, first.webhook.id)).toMatchObject({
      told: null,
      toldLapse: false,
    });
  });

  test("an entitlement without deliveries revokes them of who has had one, unless they are granted again meanwhile", async () => {
    const without = { channels: { api: true, odata: true, file_delivery: false } };
    await register();
    const look = async (scope: Scope) => {
      granted = () => scope;
      clock.now += 61 * second;
      await senderOf().gather();
    };
    await registry.database.knex("cadastre_delivery").update({ completed: null });
    await look(scopeFor({ ver: 2, datasets, ...without }));
    expect(await sendAll()).toEqual(["sent"]);
    await cancelDeliveries(1);
    await registry.database.knex("cadastre_delivery").update({ completed: at });
    await look(scopeFor({ ver: 3, datasets }));
    await look(scopeFor({ ver: 4, datasets, ...without }));
    granted = () => scopeFor({ ver: 5, datasets });
    expect(await sendAll()).toEqual(expect.arrayContaining(["dropped"]));
    expect(told().map(({ type }) => type)).not.toContain("entitlement.revoked");
    await look(scopeFor({ ver: 5, datasets }));
    await look(scopeFor({ ver: 6, datasets, ...without }));
    await sendAll();
    expect(told().filter(({ type }) => type === "entitlement.revoked")).toMatchObject([
      { data: { entitlement_version: 6, purge: { required: true } } },
    ]);
  });

  test("a subscription that is suspended is told of once for each suspension, with the reason", async () => {
    await register();
    const { subscriptions } = registry;
    const id = "00000000-0000-7000-8000-0000000000aa";
    const settings = {
      name: "daily",
      domain: "listing",
      profile: "p",
      mode: "pull",
      destination: null,
    } as const;
    const times = { cadenceSeconds: 86_400, preferredMinuteOfDay: null, created: at };
    const rest = { narrowing: null, emptyDeliveryBehavior: "manifest_only", entitlementVersion: 1 } as const;
    await subscriptions.create({ id, customer, ...settings, ...times, ...rest }, null, 5);
    const step = async (state: "active" | "suspended", code: string | null) => {
      const found = await subscriptions.find(customer, id);
      if (found !== undefined) await subscriptions.step(found, { changes: { state, code, due: null } });
      await senderOf().gather();
    };
    for (const code of ["build_failed", "destination_degraded", "destination_degraded"])
      await step("suspended", code);
    await step("active", null);
    await step("suspended", "destination_degraded");
    await sendAll();
    const suspensions = told().filter(({ type }) => type === "subscription.suspended");
    const dataFor = (code: string) => ({ customer_id: customer, subscription_id: id, failure: { code } });
    const codes = ["build_failed", "destination_degraded", "destination_degraded"];
    expect(suspensions.map(({ data }) => data)).toEqual(expect.arrayContaining(codes.map(dataFor)));
    expect(suspensions).toHaveLength(3);
  });

  test("deliveries are told of who may have them", async () => {
    await register();
    granted = () => scopeFor({ channels: { api: true, odata: true, file_delivery: false } });
    await cancelDeliveries(1);
    await registry.webhooks.outbox.gather(at, 10);
    expect(await sendAll()).toEqual(["dropped"]);
    expect(receiver.received).toEqual([]);
  });
});

describe("what does not arrive", () => {
  test("is sent again with the same id and body when its sender dies before it is noted", async () => {
    const { webhook } = await register();
    await webhooks.test(customer, webhook.id);
    const dying = senderOf({
      outbox: {
        ...registry.webhooks.outbox,
        note: () => Promise.reject(new Error("died")),
        defer: () => Promise.reject(new Error("died")),
      },
    });
    expect(await sendAll(dying)).toEqual(["lost"]);
    expect(await sendAll()).toEqual([]);
    clock.now += 61 * second;
    expect(await sendAll()).toEqual(["sent"]);
    const [first, again] = receiver.received as [Received, Received];
    expect([idOf(again), again.body]).toEqual([idOf(first), first.body]);
    expect(again.headers["webhook-timestamp"]).not.toBe(first.headers["webhook-timestamp"]);
  });

  test("is tried for a day, at waits that grow, and then given up", async () => {
    const { webhook } = await register();
    await webhooks.test(customer, webhook.id);
    receiver.answer = answerWith(503);
    const sender = senderOf({ outbox: observed() });
    const waits: number[] = [];
    while ((await sender.send()) !== undefined) {
      waits.push((due - clock.now) / second);
      clock.now = due - 1;
      expect(await sender.send()).toBeUndefined();
      clock.now = due;
    }
    expect(waits).toEqual([5, 15, 45, 135, 405, 1215, 3645, ...Array<number>(9).fill(10_800)]);
    expect(await stateOf(webhook)).toEqual(["failing", "webhook_refused", 503]);
    expect(new Set(receiver.received.map(idOf)).size).toBe(1);
    receiver.answer = answerWith(200);
    await webhooks.test(customer, webhook.id);
    expect(await sendAll()).toEqual(["sent"]);
    expect(await stateOf(webhook)).toEqual(["active", null, 200]);
  });

  test("waits for as long as it is asked to, by seconds or a date, within reason", async () => {
    const { webhook } = await register();
    const waited = async (header: string) => {
      await webhooks.test(customer, webhook.id);
      receiver.answer = answerWith(429, { "retry-after": header });
      await senderOf({ outbox: observed() }).send();
      const wait = due - clock.now;
      receiver.answer = answerWith(204);
      clock.now += wait;
      expect(await sendAll()).toEqual(["sent"]);
      return wait / second;
    };
    expect(await waited("120")).toBe(120);
    expect(await waited("1")).toBe(5);
    expect(await waited(new Date(clock.now + 60_000).toUTCString())).toBe(60);
    expect(await waited("99999999")).toBe(6 * 3600);
    expect(await waited("soon")).toBe(5);
  });

  test.each<[string, Error]>([
    ["cannot be verified", new EntitlementError("key_set_stale")],
    ["cannot be read", new Error("out of order")],
  ])("waits for a day while the entitlement %s", async (_, error) => {
    const { webhook } = await register();
    granted = () => {
      throw error;
    };
    await webhooks.test(customer, webhook.id);
    expect(await sendAll()).toEqual(["deferred"]);
    clock.now += 24 * hour - 1;
    expect(await sendAll()).toEqual(["deferred"]);
    clock.now += 61 * second;
    expect(await sendAll()).toEqual(["dropped"]);
    expect(await sendAll()).toEqual([]);
  });

  test.each<[string, Receiver["answer"], readonly unknown[]]>([
    ["redirects", answerWith(302, { location: "/" }), ["failing", "webhook_refused", 302]],
    ["answers with an error", answerWith(404), ["failing", "webhook_refused", 404]],
    ["hangs up", (response) => response.destroy(), ["failing", "webhook_unreachable", null]],
    ["is silent", () => {}, ["failing", "webhook_timeout", null]],
    ["is gone", answerWith(410), ["disabled", "webhook_gone", 410]],
  ])("who %s is tried again, unless it is gone", async (_, answer, state) => {
    const { webhook } = await register();
    receiver.answer = answer;
    await webhooks.test(customer, webhook.id);
    expect(await sendAll(senderOf({ timeout: 50 }))).toEqual(["failed"]);
    expect(await stateOf(webhook)).toEqual(state);
    receiver.answer = answerWith(204);
    clock.now += 6 * second;
    expect(await sendAll()).toEqual(state[0] === "disabled" ? [] : ["sent"]);
  });

  test("an address that is not public any more is not sent anything", async () => {
    const { webhook } = await register();
    await webhooks.test(customer, webhook.id);
    expect(await sendAll(senderOf({ loopback: false }))).toEqual(["failed"]);
    expect(await stateOf(webhook)).toEqual(["failing", "webhook_unreachable", null]);
    expect(receiver.received).toEqual([]);
  });
});

test("two senders send each message once, a webhook's one after the other", async () => {
  await register();
  await register(["delivery.canceled"]);
  await cancelDeliveries(3);
  const other = await openSqliteTestRegistry({ file });
  const stopping = new AbortController();
  const senders = [senderOf({ poll: 5 }), senderOf({ poll: 5, outbox: other.webhooks.outbox })];
  const running = senders.map((sender) => sender.run(stopping.signal));
  await expect.poll(() => receiver.received.length, { timeout: 20_000, interval: 10 }).toBe(6);
  await new Promise((resolve) => setTimeout(resolve, 50));
  stopping.abort();
  await Promise.all(running);
  await other.close();
  expect(receiver.received).toHaveLength(6);
  expect(new Set(receiver.received.map(idOf)).size).toBe(3);
});

describe("secrets", () => {
  test("both sign for a day after a rotation", async () => {
    const { webhook, secret: old } = await register();
    const { secret } = await webhooks.rotate(customer, webhook.id);
    const signedBy = async () => {
      await webhooks.test(customer, webhook.id);
      await sendAll();
      const received = receiver.received.at(-1) as Received;
      return [isSignedBy(old, received), isSignedBy(secret, received)];
    };
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await signedBy()).toEqual([true, true]);
    clock.now += 24 * hour - 1;
    expect(await signedBy()).toEqual([true, true]);
    clock.now += 1;
    expect(await signedBy()).toEqual([false, true]);
  });

  test("are nowhere in the registry, and open for their own webhook alone", async () => {
    const [{ webhook, secret }, other] = [await register(), await register()];
    const kept = [file, `${file}-wal`]
      .map((path) => readFileSync(path))
      .map(String)
      .join("");
    expect(kept).toContain(webhook.id);
    const bytes = Buffer.from(secret.slice(6), "base64");
    for (const form of [secret.slice(6), bytes.toString("hex"), bytes.toString("latin1")])
      expect(kept.includes(form)).toBe(false);
    const hash = createHash("sha256").update(secret).digest("hex");
    expect(kept.includes(hash)).toBe(false);
    await webhooks.test(customer, other.webhook.id);
    expect(await sendAll(senderOf({ key: Buffer.alloc(32, 8) }))).toEqual(["failed"]);
    expect(await stateOf(other.webhook)).toEqual(["failing", "webhook_secret_unreadable", null]);
    expect(receiver.received).toEqual([]);
  });

  test("that cannot be opened any more are replaced by a rotation, and what waits is sent", async () => {
    const { webhook } = await register();
    await webhooks.test(customer, webhook.id);
    const renewed = { key: Buffer.alloc(32, 8) };
    expect(await senderOf(renewed).send()).toMatchObject({
      outcome: "failed",
      code: "webhook_secret_unreadable",
      cause: { code: "webhook_secret_unreadable" },
    });
    const { rotate } = createWebhooks({
      registry: registry.webhooks,
      ...renewed,
      sendsEvents: false,
      clock: () => clock.now,
    });
    const { secret } = await rotate(customer, webhook.id);
    await webhooks.test(customer, webhook.id);
    expect(await sendAll(senderOf(renewed))).toEqual(["sent"]);
    expect(receiver.received.map((received) => isSignedBy(secret, received))).toEqual([true]);
    expect(await stateOf(webhook)).toEqual(["active", null, 204]);
  });
});

test.each([
  ["http://hooks.example/", undefined, "invalid_webhook_url"],
  ["https://hooks.example/", [], "invalid_webhook_events"],
  ["https://hooks.example/", ["delivery.completed", "delivery.completed"], "invalid_webhook_events"],
  ["https://hooks.example/", ["webhook.test"], "invalid_webhook_events"],
])("%s with %j is refused", async (url, events, code) => {
  await expect(webhooks.register(scopeFor(), { url, events })).rejects.toMatchObject({ code });
});
