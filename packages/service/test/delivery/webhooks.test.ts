import { verifyWebhook, type WebhookMessage } from "@cadastre/client";
import { type Receiver, startReceiver } from "@cadastre/delivery/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../support/ask.ts";
import { customerOf, dataOf, refusal } from "../support/deliveries.ts";
import { entitle } from "../support/entitle.ts";
import { type Running, run } from "../support/running.ts";
import { storedText } from "../support/sql.ts";

const root = "/v1/webhooks";

type View = Readonly<Record<string, unknown>> & { readonly id: string; readonly secret?: string };

let running: Running;
let receiver: Receiver;
let national: ReturnType<typeof customerOf>;
let market: ReturnType<typeof customerOf>;
beforeAll(async () => {
  receiver = await startReceiver();
  running = await run({ CADASTRE_LISTINGS: "100", CADASTRE_WEBHOOK_LOOPBACK: "true" });
  national = customerOf(running);
  market = customerOf(running, "market");
});
afterAll(async () => {
  await running.stop();
  await receiver.stop();
});
afterEach(async () => {
  for (const customer of [national, market])
    for (const { id } of dataOf<readonly View[]>(await customer.get(root))) await remove(id, customer);
  receiver.received.length = 0;
});

const remove = (id: string, customer = national) =>
  ask(running.service.baseUrl, `${root}/${id}`, customer.headers, "DELETE");
const register = async (more: object = {}, customer = national): Promise<View & { secret: string }> => {
  const reply = await customer.post(root, { url: receiver.url, ...more });
  expect([reply.status, reply.text]).toEqual([201, expect.any(String)]);
  return dataOf(reply);
};
const soon = { timeout: 20_000, interval: 20 };
const received = (count: number) => expect.poll(() => receiver.received.length, soon).toBe(count);
/** What the receiver was told, if the secret says that it was this service. */
const toldBy = (secret: string): readonly WebhookMessage[] =>
  receiver.received.map(({ headers, body }) => verifyWebhook(headers, body, secret));
const types = (secret: string) => toldBy(secret).map(({ type }) => type);

describe("a webhook", () => {
  test("is registered, listed, given another secret, tested and deleted, by its customer alone", async () => {
    const reply = await national.post(root, { url: receiver.url, events: ["delivery.completed"] });
    const { secret, ...view } = dataOf<View & { secret: string }>(reply);
    expect([reply.status, reply.headers["location"], reply.headers["cache-control"]]).toEqual([
      201,
      `${root}/${view.id}`,
      "no-store",
    ]);
    expect(view).toEqual({
      id: expect.any(String) as string,
      url: receiver.url,
      events: ["delivery.completed"],
      status: "active",
      failure: null,
      last_status: null,
      last_attempt_at: null,
      previous_secret_until: null,
      entity_events: null,
      created_at: expect.any(String) as string,
    });
    const listed = await national.get(root);
    expect([dataOf(listed), JSON.parse(listed.text)]).toEqual([
      [view],
      expect.objectContaining({ meta: { entitlement_version: 1, count: 1 } }),
    ]);
    expect(dataOf(await national.get(`${root}/${view.id}`))).toEqual(view);

    const rotated = await national.post(`${root}/${view.id}/rotate`, {});
    const second = dataOf<View>(rotated).secret ?? "";
    expect([rotated.status, rotated.headers["cache-control"], second === secret]).toEqual([
      200,
      "no-store",
      false,
    ]);
    expect((await national.post(`${root}/${view.id}/test`, {})).status).toBe(202);
    await received(1);
    for (const one of [secret, second]) expect(types(one)).toEqual(["webhook.test"]);
    const status = async () => dataOf<View>(await national.get(`${root}/${view.id}`))["last_status"];
    await expect.poll(status, soon).toBe(204);

    for (const asking of [
      market.get(`${root}/${view.id}`),
      market.post(`${root}/${view.id}/rotate`, {}),
      market.post(`${root}/${view.id}/test`, {}),
      remove(view.id, market),
      national.get(`${root}/none`),
    ])
      expect(refusal(await asking)).toEqual([404, "not_found"]);
    expect(dataOf(await market.get(root))).toEqual([]);
    expect((await remove(view.id)).status).toBe(200);
    expect(refusal(await national.get(`${root}/${view.id}`))).toEqual([404, "not_found"]);
  });

  test.each<[string, unknown, number, string]>([
    ["no JSON", "{", 400, "invalid_request"],
    ["an unknown member", { url: "https://hooks.example/", secret: "x" }, 400, "invalid_request"],
    ["no address", {}, 400, "invalid_webhook_url"],
    ["a number", { url: 1 }, 400, "invalid_webhook_url"],
    ["a private address", { url: "https://10.0.0.1/" }, 400, "invalid_webhook_url"],
    ["the metadata of a cloud", { url: "http://169.254.169.254/latest" }, 400, "invalid_webhook_url"],
    ["no event", { url: "https://hooks.example/", events: [] }, 400, "invalid_webhook_events"],
    ["an unknown event", { url: "https://hooks.example/", events: ["x"] }, 400, "invalid_webhook_events"],
    [
      "entity events, which are not offered,",
      { url: "https://hooks.example/", entity_events: { token: "t" } },
      400,
      "entity_events_unavailable",
    ],
    ["no list", { url: "https://hooks.example/", events: "x" }, 400, "invalid_webhook_events"],
  ])("with %s is refused", async (_, body, status, code) => {
    expect(refusal(await national.post(root, body))).toEqual([status, code]);
  });

  test("is one of eight", async () => {
    for (let i = 0; i < 8; i++) await register();
    expect(refusal(await national.post(root, { url: receiver.url }))).toEqual([409, "too_many_webhooks"]);
    await register({}, market);
  });

  test("asks for a key, and is asked by its methods alone", async () => {
    const put = await ask(running.service.baseUrl, root, national.headers, "PUT");
    expect([refusal(put), put.headers["allow"]]).toEqual([[405, "method_not_allowed"], "POST, GET, HEAD"]);
    expect((await ask(running.service.baseUrl, root)).status).toBe(401);
  });
});

describe("customers are told", () => {
  test("of their own deliveries that are complete, and not of others'", async () => {
    const own = await register({ events: ["delivery.completed"] });
    const foreign = await register({ events: ["delivery.completed"] }, market);
    const id = await national.complete();
    await received(1);
    const [message] = toldBy(own.secret);
    expect(message).toMatchObject({ type: "delivery.completed", data: { delivery_id: id } });
    expect(message?.data).toEqual({
      customer_id: "demo-national",
      delivery_id: id,
      subscription_id: null,
      generation: 1,
      sequence: 0,
    });
    // Had the other customer been told as well, that would come first.
    receiver.received.length = 0;
    await market.post(`${root}/${foreign.id}/test`, {});
    await received(1);
    expect(types(foreign.secret)).toEqual(["webhook.test"]);
  });

  test("that their entitlement has changed, as account resources say it by their ETag", async () => {
    const account = "/v1/account/resources";
    const { secret } = await register({ events: ["entitlement.changed"] });
    const first = await national.get(account);
    const known = { "if-none-match": String(first.headers["etag"]) };
    expect((await national.get(account, known)).status).toBe(304);
    // The same grants, signed again: another version, and so another answer.
    await entitle(running, "national", (before) => before);
    await received(1);
    const [message] = toldBy(secret);
    expect(message).toMatchObject({ type: "entitlement.changed", data: { entitlement_version: 2 } });
    await expect.poll(async () => (await national.get(account, known)).status, soon).toBe(200);
    const second = await national.get(account);
    expect(dataOf(second)).toEqual({ ...dataOf<object>(first), entitlement_version: 2 });
    expect(second.headers["etag"]).not.toBe(first.headers["etag"]);
    const renewed = { "if-none-match": String(second.headers["etag"]) };
    expect((await national.get(account, renewed)).status).toBe(304);
  });

  test("that nothing is granted any more", async () => {
    const { secret } = await register({}, customerOf(running, "state"));
    await entitle(running, "state", (before) => ({ ...before, exp: before.nbf + 1 }));
    await received(1);
    expect(toldBy(secret)).toMatchObject([
      { type: "entitlement.changed", data: { customer_id: "demo-state", entitlement_version: null } },
    ]);
  });
});

test("secrets and addresses are in no log, and secrets are not kept as they are", async () => {
  const { id, secret } = await register({ url: `${receiver.url}?token=hook-canary` });
  await national.post(`${root}/${id}/test`, {});
  await received(1);
  await expect.poll(() => running.log(), soon).toContain("worked on a message to a webhook");
  for (const text of [secret, secret.slice(6), "hook-canary"]) expect(running.log()).not.toContain(text);
  const kept = await storedText(running.folder, "registry");
  expect([kept.includes(id), kept.includes(secret.slice(6))]).toEqual([true, false]);
});
