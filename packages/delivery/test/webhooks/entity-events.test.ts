import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { Scope } from "@cadastre/entitlement";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createWebhookSender,
  createWebhooks,
  type EntityEvent,
  type EventFeed,
  type IssuedWebhook,
  type WebhookReport,
  type WebhookSenderOptions,
  type Webhooks,
} from "../../src/index.ts";
import { answerWith, type Received, type Receiver, startReceiver } from "../../src/testing/receiver.ts";
import { openSqliteTestRegistry, type TestRegistry } from "../../src/testing/registry.ts";
import { scopeFor } from "../support/scope.ts";
import { scratchFolder } from "../support/scratch.ts";
import { admit, at, customer } from "../support/workshop.ts";

const file = join(scratchFolder(), "registry.sqlite");
const key = Buffer.alloc(32, 7);
const token = "abc.DEF-123_~+/==";
const second = 1000;
const hour = 3600 * second;

/** The events of one customer in memory, with the last event of each record only. */
class EventList implements EventFeed {
  events: readonly EntityEvent[] = [];
  readonly #keys = new Map<string, number>();
  #last = 100;

  add(record: string): void {
    const before = this.#keys.get(record);
    this.#last += 10;
    this.#keys.set(record, this.#last);
    const json = JSON.stringify({
      EntityEventSequence: this.#last,
      ResourceName: "Property",
      ResourceRecordKey: record,
    });
    this.events = [...this.events.filter(({ number }) => number !== before), { number: this.#last, json }];
  }

  follow = async (scope: Scope): Promise<number> =>
    scope.customer === customer ? (this.events.at(-1)?.number ?? 0) : 0;

  after = async (_: string, from: number, limit: number): Promise<readonly EntityEvent[]> =>
    this.events.filter(({ number }) => number > from).slice(0, limit);
}

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
let feed: EventList;
let webhooks: Webhooks;
beforeEach(() => {
  clock = { now: at };
  granted = () => scopeFor();
  feed = new EventList();
  receiver.received.length = 0;
  receiver.answer = answerWith(204);
  webhooks = createWebhooks({
    registry: registry.webhooks,
    key,
    loopback: true,
    sendsEvents: true,
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
    events: feed,
    scopeOf: async () => granted(),
    clock: () => clock.now,
    random: () => 1,
    ...more,
  });

const register = (more: object = {}): Promise<IssuedWebhook> =>
  webhooks.register(scopeFor(), { url: receiver.url, entityEvents: { token, ...more } });

/** Looks for events and sends what waits, and returns the outcomes. */
async function push(sender = senderOf()): Promise<readonly WebhookReport["outcome"][]> {
  await sender.gatherEvents();
  const outcomes: WebhookReport["outcome"][] = [];
  for (let report = await sender.send(); report !== undefined; report = await sender.send())
    outcomes.push(report.outcome);
  return outcomes;
}

type Body = {
  readonly "@reso.context": string;
  readonly value: readonly { readonly EntityEventSequence: number; readonly ResourceRecordKey: string }[];
};
const bodyOf = ({ body }: Received) => JSON.parse(body) as Body;
const numbersOf = (received: Received) => bodyOf(received).value.map((event) => event.EntityEventSequence);
const pushed = () => receiver.received.flatMap(numbersOf);
const fill = (count: number, length = 1) => {
  for (let i = 0; i < count; i++) feed.add(`${i}`.padStart(length, "k"));
};

/** Signatures by the text of the standard. */
const isSignedBy = (secret: string, { headers, body }: Received): boolean => {
  const text = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
  const bytes = Buffer.from(secret.replace("whsec_", ""), "base64");
  return headers["webhook-signature"] === `v1,${createHmac("sha256", bytes).update(text).digest("base64")}`;
};

describe("entity events", () => {
  test("are posted as RCP-28 has them, with the receiver's token and our signature", async () => {
    const { webhook, secret } = await register({ source: "IDX Feed 123" });
    expect(webhook.events).toEqual(["entity.changed"]);
    fill(2);
    expect(await push()).toEqual(["sent"]);
    const [received] = receiver.received as [Received];
    expect(received.body).toBe(
      '{"@reso.context":"urn:reso:metadata:2.0:resource:entityevent","value":[' +
        '{"EntityEventSequence":110,"ResourceName":"Property","ResourceRecordKey":"0"},' +
        '{"EntityEventSequence":120,"ResourceName":"Property","ResourceRecordKey":"1"}]}',
    );
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
      entityeventsource: "IDX Feed 123",
      "webhook-id": "evt_110_120",
    });
    expect(isSignedBy(secret, received)).toBe(true);
    expect((await webhooks.find(customer, webhook.id)).eventPush).toEqual({
      source: "IDX Feed 123",
      sent: 120,
    });
    expect(await push()).toEqual([]);
  });

  test("are sent from the number on that was asked for, once each, ascending", async () => {
    fill(5);
    await register({ after: 130 });
    expect(await push()).toEqual(["sent"]);
    feed.add("0");
    feed.add("x");
    expect(await push()).toEqual(["sent"]);
    expect(pushed()).toEqual([140, 150, 160, 170]);
    expect(receiver.received.map(({ headers }) => headers["entityeventsource"])).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("are at most 500 in a message, and 256 KiB unless one is larger", async () => {
    fill(1001);
    await register();
    expect(await push()).toEqual(["sent", "sent", "sent"]);
    expect(receiver.received.map((one) => numbersOf(one).length)).toEqual([500, 500, 1]);
    expect(pushed()).toEqual(feed.events.map(({ number }) => number));
    receiver.received.length = 0;
    for (const length of [100_000, 100_000, 100_000, 300_000, 10])
      feed.add("k".padStart(length, `${length}${pushed().length}${feed.events.length}`));
    expect(await push()).toEqual(["sent", "sent", "sent", "sent"]);
    expect(receiver.received.map((one) => numbersOf(one).length)).toEqual([2, 1, 1, 1]);
  });

  test("are sent again when a sender dies before it notes that they arrived, and none is left out", async () => {
    await register();
    fill(3);
    const { outbox } = registry.webhooks;
    const died = () => Promise.reject(new Error("died"));
    expect(await push(senderOf({ outbox: { ...outbox, note: died, defer: died } }))).toEqual(["lost"]);
    // One of those that were sent has another event meanwhile.
    feed.add("1");
    clock.now += 61 * second;
    expect(await push()).toEqual(["sent"]);
    expect(receiver.received.map(numbersOf)).toEqual([
      [110, 120, 130],
      [110, 130, 140],
    ]);
    expect(receiver.received.map(({ headers }) => headers["webhook-id"])).toEqual([
      "evt_110_130",
      "evt_110_140",
    ]);
  });

  test("that two senders look for at once are sent once", async () => {
    await register();
    fill(10);
    const senders = [senderOf(), senderOf()];
    await Promise.all(senders.map((sender) => sender.gatherEvents()));
    await Promise.all(senders.map((sender) => push(sender)));
    expect(pushed()).toEqual(feed.events.map(({ number }) => number));
  });

  test("a test has none, and the token", async () => {
    const { webhook, secret } = await register();
    await webhooks.test(customer, webhook.id);
    expect(await push()).toEqual(["sent"]);
    const [received] = receiver.received as [Received];
    expect(bodyOf(received).value).toEqual([]);
    expect(received.headers.authorization).toBe(`Bearer ${token}`);
    expect(isSignedBy(secret, received)).toBe(true);
  });

  test.each<[string, () => Scope]>([
    [
      "without the channel odata",
      () => scopeFor({ channels: { api: true, odata: false, file_delivery: true } }),
    ],
  ])("are kept back %s", async (_, scope) => {
    await register();
    fill(1);
    granted = scope;
    expect(await push()).toEqual([]);
    granted = () => scopeFor();
    const sender = senderOf();
    await sender.gatherEvents();
    granted = scope;
    expect(await sender.send()).toMatchObject({ outcome: "dropped" });
    granted = () => scopeFor();
    expect(await push()).toEqual(["sent"]);
    expect(pushed()).toEqual([110]);
  });

  test("are kept back where the service does not offer them any more", async () => {
    await register();
    fill(1);
    await senderOf().gatherEvents();
    expect(await push(senderOf({ events: undefined }))).toEqual(["dropped"]);
    expect(await push()).toEqual(["sent"]);
  });
});

describe("a receiver of entity events", () => {
  test("that asks for a pause gets it, by seconds or a date", async () => {
    await register();
    fill(1);
    for (const header of ["120", new Date(clock.now + 300_000).toUTCString()]) {
      receiver.answer = answerWith(429, { "retry-after": header });
      expect(await push()).toEqual(["failed"]);
      clock.now += 119 * second;
      feed.add("more");
      expect(await push()).toEqual([]);
      clock.now += second;
    }
    receiver.answer = answerWith(204);
    clock.now += 60 * second;
    expect(await push()).toEqual(["sent"]);
    expect(pushed()).toEqual([110, 110, 120, 110, 130]);
  });

  test("that takes nothing for a day is suspended, and goes on where it was when it asks", async () => {
    const { webhook } = await register();
    fill(2);
    receiver.answer = answerWith(503);
    expect(await push()).toEqual(["failed"]);
    clock.now += 24 * hour;
    expect(await push()).toEqual(["failed"]);
    const found = () => webhooks.find(customer, webhook.id);
    expect(await found()).toMatchObject({ state: "suspended", failure: "webhook_refused", lastStatus: 503 });
    clock.now += 48 * hour;
    feed.add("0");
    expect(await push()).toEqual([]);
    receiver.received.length = 0;

    // It still does not work, and is tried for another day.
    expect((await webhooks.test(customer, webhook.id)).state).toBe("failing");
    expect(await push()).toEqual(["failed"]);
    expect((await found()).state).toBe("failing");
    receiver.answer = answerWith(204);
    clock.now += 5 * second;
    expect(await push()).toEqual(["sent", "sent"]);
    expect(receiver.received.map(numbersOf)).toEqual([[120, 130], [120, 130], []]);
    expect(await found()).toMatchObject({ state: "active", eventPush: { source: null, sent: 130 } });
  });

  test("that is slow, but gets through all, is not suspended", async () => {
    const { webhook } = await register();
    fill(1500);
    for (let message = 0; message < 3; message++) {
      receiver.answer = answerWith(429, { "retry-after": "21600" });
      await push();
      clock.now += 12 * hour;
      receiver.answer = answerWith(204);
      const sender = senderOf();
      expect(await sender.send()).toMatchObject({ outcome: "sent" });
    }
    expect((await webhooks.find(customer, webhook.id)).state).toBe("active");
    expect(new Set(pushed()).size).toBe(1500);
  });

  test("that is gone gets nothing more", async () => {
    const { webhook } = await register();
    fill(1);
    receiver.answer = answerWith(410);
    expect(await push()).toEqual(["failed"]);
    feed.add("more");
    expect(await push()).toEqual([]);
    expect((await webhooks.find(customer, webhook.id)).state).toBe("disabled");
  });

  test.each<[string, Receiver["answer"]]>([
    ["redirects", answerWith(307, { location: "http://127.0.0.1:1/" })],
    ["hangs up", (response) => response.destroy()],
    ["is silent", () => {}],
    [
      "answers with a huge head",
      (response) => void response.writeHead(200, { "x-a": "b".repeat(60_000) }).end(),
    ],
  ])("that %s gets the same events again", async (_, answer) => {
    await register();
    fill(2);
    receiver.answer = answer;
    expect(await push(senderOf({ timeout: 100 }))).toEqual(["failed"]);
    receiver.answer = answerWith(200);
    clock.now += 5 * second;
    expect(await push()).toEqual(["sent"]);
    expect(receiver.received.map(numbersOf)).toEqual([
      [110, 120],
      [110, 120],
    ]);
  });

  test("with two webhooks gets each from its own place", async () => {
    fill(3);
    const [all, some] = [await register(), await register({ after: 120 })];
    expect(await push()).toEqual(["sent", "sent"]);
    const bySecret = (secret: string) =>
      receiver.received.filter((one) => isSignedBy(secret, one)).flatMap(numbersOf);
    expect(bySecret(all.secret)).toEqual([110, 120, 130]);
    expect(bySecret(some.secret)).toEqual([130]);
  });
});

describe("a registration", () => {
  test.each<[string, object, string]>([
    [
      "other events too",
      { events: ["entity.changed", "delivery.completed"], entityEvents: { token } },
      "invalid_entity_events",
    ],
    ["no terms", { events: ["entity.changed"] }, "invalid_entity_events"],
    [
      "terms of another event",
      { events: ["delivery.failed"], entityEvents: { token } },
      "invalid_entity_events",
    ],
    ["no token", { entityEvents: { token: "" } }, "invalid_event_token"],
    ["a line break in its token", { entityEvents: { token: "a\r\nx: y" } }, "invalid_event_token"],
    ["a long token", { entityEvents: { token: "a".repeat(2049) } }, "invalid_event_token"],
    ["an empty source", { entityEvents: { token, source: "" } }, "invalid_event_source"],
    ["a long source", { entityEvents: { token, source: "a".repeat(256) } }, "invalid_event_source"],
    ["a line break in its source", { entityEvents: { token, source: "a\nb" } }, "invalid_event_source"],
    ["a number below zero", { entityEvents: { token, after: -1 } }, "invalid_event_number"],
    ["a number that is not exact", { entityEvents: { token, after: 2 ** 53 } }, "invalid_event_number"],
  ])("with %s is refused", async (_, request, code) => {
    await expect(webhooks.register(scopeFor(), { url: receiver.url, ...request })).rejects.toMatchObject({
      code,
    });
    expect(await webhooks.list(customer)).toEqual([]);
  });

  test("is refused without the channel odata, and where events are not offered", async () => {
    const request = { url: receiver.url, entityEvents: { token, source: "s".repeat(255) } };
    const closed = scopeFor({ channels: { api: true, odata: false, file_delivery: true } });
    await expect(webhooks.register(closed, request)).rejects.toMatchObject({ code: "channel_not_entitled" });
    const without = createWebhooks({ registry: registry.webhooks, key, loopback: true, sendsEvents: false });
    await expect(without.register(scopeFor(), request)).rejects.toMatchObject({
      code: "entity_events_unavailable",
    });
    expect((await webhooks.register(scopeFor(), request)).webhook.eventPush?.source).toHaveLength(255);
  });

  test("keeps its token encrypted, for the token's use alone", async () => {
    const { webhook } = await register();
    const { knex } = registry.database;
    const [row] = (await knex("cadastre_webhook_token").where({ webhook: webhook.id })) as {
      token: string;
    }[];
    const stored = JSON.stringify([await knex("cadastre_webhook"), row]);
    expect(stored).not.toContain(token);
    expect(JSON.stringify(webhook)).not.toContain(token);
    // As the signing secret it cannot be read.
    await knex("cadastre_webhook").where({ id: webhook.id }).update({ secret: row?.token });
    fill(1);
    const sender = senderOf();
    await sender.gatherEvents();
    expect(await sender.send()).toMatchObject({ code: "webhook_secret_unreadable" });
    expect(receiver.received).toEqual([]);
    await webhooks.remove(customer, webhook.id);
    expect(await knex("cadastre_webhook_token")).toEqual([]);
  });
});
