import { verifyEntityEvents, verifyWebhook } from "@cadastre/client";
import { type Receiver, startReceiver } from "@cadastre/delivery/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withRegistry } from "../../src/data/registry.ts";
import { ask } from "../support/ask.ts";
import { commitTo } from "../support/commit.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { removalsOf } from "../support/removals.ts";
import { type Running, run } from "../support/running.ts";
import { storedText } from "../support/sql.ts";

const root = "/v1/webhooks";
const token = "long-lived-token-of-the-receiver";

type Event = Readonly<Record<string, unknown>> & { readonly EntityEventSequence: number };
type View = Readonly<Record<string, unknown>> & {
  readonly id: string;
  readonly secret: string;
  readonly entity_events: { readonly source: string | null; readonly sent: number } | null;
};

let running: Running;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  running = await run({
    CADASTRE_LISTINGS: "100",
    CADASTRE_WEBHOOK_LOOPBACK: "true",
    CADASTRE_EXTENSIONS: "event",
    CADASTRE_PAGE_SIZE: "1000",
  });
}, 120_000);
afterAll(async () => {
  await running.stop();
  await receiver.stop();
});

const soon = { timeout: 30_000, interval: 50 };

/** Returns the events of a customer as the set shows them, without members that are null. */
async function shownTo(name: string): Promise<readonly Event[]> {
  const found: Event[] = [];
  let next: string | undefined = "/reso/odata/EntityEvent";
  while (next !== undefined) {
    const reply = await ask(running.service.baseUrl, next, { "x-api-key": running.key(name) });
    const body = JSON.parse(reply.text) as { value: readonly Event[]; "@odata.nextLink"?: string };
    found.push(...body.value);
    next = body["@odata.nextLink"]?.replace(running.service.baseUrl, "");
  }
  return found.map(
    (event) => JSON.parse(JSON.stringify(event, (_, value: unknown) => value ?? undefined)) as Event,
  );
}

/** Returns the events that a webhook was sent, by the path of its address. */
const pushedTo = (path: string): readonly Event[] =>
  receiver.received
    .filter(({ url }) => url === path)
    .flatMap(({ body }) => (JSON.parse(body) as { value: readonly Event[] }).value);

const addressOf = (path: string) => receiver.url.replace("/hook", path);

async function register(name: string, path: string, more: object = {}): Promise<View> {
  const reply = await customerOf(running, name).post(root, {
    url: addressOf(path),
    entity_events: { token, ...more },
  });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return dataOf<View>(reply);
}

/** Waits until a webhook was sent all events that its customer sees, and these are as many as records. */
async function reached(name: string, path: string): Promise<readonly Event[]> {
  const last = async () => (await shownTo(name)).at(-1)?.EntityEventSequence;
  // At first neither has events.
  const isReached = async () =>
    pushedTo(path).length > 0 && pushedTo(path).at(-1)?.EntityEventSequence === (await last());
  await expect.poll(isReached, soon).toBe(true);
  return pushedTo(path);
}

test("a webhook is sent the events of its customer's set, and then those of changes", async () => {
  const { secret, ...view } = await register("market", "/market", { source: "IDX Feed 123" });
  expect(view).toMatchObject({
    events: ["entity.changed"],
    entity_events: { source: "IDX Feed 123", sent: 0 },
  });
  expect(JSON.stringify(view)).not.toContain(token);
  await reached("market", "/market");
  // The set may have grown since it was compared.
  expect(await reached("market", "/market")).toEqual(await shownTo("market"));
  for (const { headers, body } of receiver.received) {
    expect(headers).toMatchObject({ authorization: `Bearer ${token}`, entityeventsource: "IDX Feed 123" });
    const verified = verifyEntityEvents(headers, body, secret);
    expect(verified).toEqual({
      id: headers["webhook-id"],
      source: "IDX Feed 123",
      events: (JSON.parse(body) as { value: readonly Event[] }).value,
    });
    expect(() => verifyEntityEvents(headers, `${body} `, secret)).toThrow(
      expect.objectContaining({ code: "webhook_not_authentic" }),
    );
    // The signature is that of other webhooks, though the body is of another form.
    expect(() => verifyWebhook(headers, body, secret)).toThrow(
      expect.objectContaining({ code: "webhook_malformed" }),
    );
  }

  const before = await shownTo("market");
  const one = before.find(({ ResourceName }) => ResourceName === "Property");
  const key = String(one?.["ResourceRecordKey"]);
  const { get } = customerOf(running, "market");
  await commitTo(running, removalsOf("Property", key));
  const count = before.length;
  await expect.poll(() => pushedTo("/market").length, soon).toBe(count + 1);
  expect(pushedTo("/market").at(-1)).toMatchObject({ ResourceName: "Property", ResourceRecordKey: key });
  const found = dataOf<View>(await get(`${root}/${view.id}`));
  await expect
    .poll(async () => dataOf<View>(await get(`${root}/${view.id}`)).entity_events?.sent, soon)
    .toBe(pushedTo("/market").at(-1)?.EntityEventSequence);
  expect(found).not.toHaveProperty("secret");
}, 120_000);

test("another entitlement gives new, higher numbers for what is lost", async () => {
  await register("state", "/state");
  const before = await reached("state", "/state");
  const last = before.at(-1)?.EntityEventSequence ?? 0;
  await entitle(running, "state", (document) => ({
    ...document,
    datasets: document.datasets.map(({ resources, ...dataset }) => {
      const { Media: _, ...others } = resources;
      return { ...dataset, resources: others };
    }),
  }));
  await expect.poll(() => pushedTo("/state").length, soon).toBeGreaterThan(before.length);
  await reached("state", "/state");
  const after = pushedTo("/state").slice(before.length);
  expect(after.every(({ EntityEventSequence: number }) => number > last)).toBe(true);
  // With media go the values of their lookups, and nothing else.
  expect(new Set(after.map(({ ResourceName }) => ResourceName))).toEqual(new Set(["Media", "Lookup"]));
}, 120_000);

test("a token is in no log, and is not kept as it is; who never asked has no events", async () => {
  const kept = await storedText(running.folder, "registry");
  expect(kept.includes(token)).toBe(false);
  const logs = await withRegistry(running.folder, async ({ events }) => ({
    market: await events.find("demo-market"),
    national: await events.find("demo-national"),
  }));
  expect([logs.market === undefined, logs.national === undefined]).toEqual([false, true]);
  expect(running.log()).not.toContain(token);
  expect(running.log()).not.toContain("IDX Feed 123");
});

test.each<[string, object, string]>([
  ["an unknown member", { entity_events: { token, tokens: 1 } }, "invalid_request"],
  ["no token", { entity_events: {} }, "invalid_event_token"],
  ["a token with a line break", { entity_events: { token: "a\nb" } }, "invalid_event_token"],
  ["a source that is none", { entity_events: { token, source: 1 } }, "invalid_event_source"],
  ["a number that is none", { entity_events: { token, after: "1" } }, "invalid_event_number"],
  ["no terms", { events: ["entity.changed"] }, "invalid_entity_events"],
  ["a private address", { url: "https://10.0.0.1/", entity_events: { token } }, "invalid_webhook_url"],
])("a registration with %s is refused", async (_, body, code) => {
  const reply = await customerOf(running).post(root, { url: receiver.url, ...body });
  expect(refusal(reply)).toEqual([400, code]);
  expect(reply.text).not.toContain(token);
});
