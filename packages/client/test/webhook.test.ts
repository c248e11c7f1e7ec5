import { createHmac } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { type ClientError, verifyEntityEvents, verifyWebhook, type WebhookMessage } from "@cadastre/client";
import { describe, expect, test } from "vitest";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const now = Date.UTC(2026, 10, 22);
const id = "msg_01KAMY7Y00ABCDEFGHJKMNPQRS";
const body = '{"type":"webhook.test","timestamp":"2026-11-22T00:00:00.000Z","data":{"customer_id":"é"}}';
const told = { id, ...(JSON.parse(body) as object) };

/** Written anew from the standard's text, so that it proves more than that the package agrees with itself. */
const sign = (text: string, { key = secret, at = now } = {}) => {
  const timestamp = String(Math.floor(at / 1000));
  const bytes = Buffer.from(key.replace("whsec_", ""), "base64");
  const mac = createHmac("sha256", bytes).update(`${id}.${timestamp}.${text}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
};
const codeOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return (error as ClientError).code;
  }
};
const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;

describe("a message with entity events", () => {
  const context = "urn:reso:metadata:2.0:resource:entityevent";
  const first = { EntityEventSequence: 1, ResourceName: "Property", ResourceRecordKey: "p" };
  const later = { ...first, EntityEventSequence: 7, ResourceRecordUrl: "https://a.example/p" };
  const textOf = (value: unknown, more: object = {}) =>
    JSON.stringify({ "@reso.context": context, value, ...more });
  const verify = (text: string, more: object = {}) =>
    codeOf(() => verifyEntityEvents({ ...sign(text), ...more }, text, secret, now));

  test("gives the events, its id and its source", () => {
    const text = textOf([first, later]);
    expect(verify(text, { entityeventsource: "IDX" })).toEqual({ id, source: "IDX", events: [first, later] });
    expect(verify(textOf([]))).toEqual({ id, source: undefined, events: [] });
  });

  test("is refused if it is not signed, or is none", () => {
    expect(verify(textOf([first]), { "webhook-id": "evt_1_1" })).toBe("webhook_not_authentic");
    expect(codeOf(() => verifyEntityEvents(sign(textOf([])), textOf([]), secret, now + 301_000))).toBe(
      "webhook_too_old",
    );
    for (const text of [
      body,
      "no JSON",
      textOf([later, first]),
      textOf([first, first]),
      textOf([{ ...first, ResourceRecordKey: 1 }]),
      textOf([first], { "@reso.context": "urn:reso:metadata:2.0:resource:property" }),
    ])
      expect(verify(text)).toBe("webhook_malformed");
  });
});

describe("a message to a webhook", () => {
  test("is what its service has signed, by either form of headers and of the body", () => {
    const headers = sign(body);
    expect(verifyWebhook(headers, body, secret, now)).toEqual(told);
    expect(verifyWebhook(new Headers(headers), Buffer.from(body), secret, now)).toEqual(told);
  });

  // The values of the standard's own example, signed by OpenSSL.
  test("is signed as Standard Webhooks say", () => {
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const verify = (more: object) =>
      codeOf(() =>
        verifyWebhook(
          { ...headers, ...more },
          '{"test": 2432232314}',
          "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
          1_614_265_330_000,
        ),
      );
    // The signature holds: only what is said is none of ours.
    expect(verify({})).toBe("webhook_malformed");
    expect(verify({ "webhook-id": "msg_other" })).toBe("webhook_not_authentic");
  });

  test("may be signed by one of two secrets, beside signatures of other versions", () => {
    const [own, foreign] = [sign(body), sign(body, { key: other })];
    const listed = `v1a,AAAA ${foreign["webhook-signature"]} v1, ${own["webhook-signature"]}`;
    const headers = { ...own, "webhook-signature": listed };
    expect(verifyWebhook(headers, body, secret, now)).toEqual(told);
    expect(verifyWebhook(headers, body, other, now)).toEqual(told);
  });

  const good = sign(body);
  test.each<[string, Readonly<Record<string, string | undefined>>, string, string]>([
    ["another body", good, body.replace("é", "e"), "webhook_not_authentic"],
    ["another id", { ...good, "webhook-id": "msg_2" }, body, "webhook_not_authentic"],
    ["another time", { ...good, "webhook-timestamp": "1700000000" }, body, "webhook_not_authentic"],
    ["a time that is none", { ...good, "webhook-timestamp": "1e9" }, body, "webhook_not_authentic"],
    ["another's secret", sign(body, { key: other }), body, "webhook_not_authentic"],
    ["no signature", { ...good, "webhook-signature": undefined }, body, "webhook_not_authentic"],
    ["no id", { ...good, "webhook-id": undefined }, body, "webhook_not_authentic"],
    ["an empty signature", { ...good, "webhook-signature": "v1," }, body, "webhook_not_authentic"],
    ["a time too early", sign(body, { at: now - 301_000 }), body, "webhook_too_old"],
    ["a time too late", sign(body, { at: now + 301_000 }), body, "webhook_too_old"],
    ["a body that is no message", sign("[]"), "[]", "webhook_malformed"],
    ["a body that is no JSON", sign("{"), "{", "webhook_malformed"],
  ])("with %s is refused", (_, headers, text, code) => {
    expect(codeOf(() => verifyWebhook(headers, text, secret, now))).toBe(code);
  });

  test("may be five minutes old", () => {
    for (const at of [now - 300_000, now + 300_000])
      expect(verifyWebhook(sign(body, { at }), body, secret, now)).toEqual(told);
  });

  test.each(["", "whsec_", secret.replace("whsec_", ""), "whsec_short"])(
    "needs a secret, not `%s`",
    (text) => {
      expect(codeOf(() => verifyWebhook(good, body, text, now))).toBe("webhook_secret_invalid");
    },
  );
});

test("the page's receiver takes what is signed, and nothing else", async () => {
  const page = readFileSync(new URL("../../../docs/webhooks.md", import.meta.url), "utf8");
  const code = /^```js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? "";
  // Here, so that it imports what a reader of the page would.
  const file = fileURLToPath(new URL(".receiver.mjs", import.meta.url));
  writeFileSync(file, code);
  type Page = { readonly receiver: (secret: string, take: (one: WebhookMessage) => void) => Server };
  const taken: WebhookMessage[] = [];
  const { receiver } = (await import(file)) as Page;
  rmSync(file);
  const server = receiver(secret, (one) => {
    taken.push(one);
    if (taken.length > 1) throw new RangeError("out of order");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const post = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body })).status;
  const own = sign(body, { at: Date.now() });
  expect(await post(sign(body, { key: other, at: Date.now() }))).toBe(401);
  expect(await post(own)).toBe(204);
  expect(taken).toEqual([told]);
  // What the receiver itself fails of is its own fault, and is sent again.
  expect(await post(own)).toBe(500);
  server.close();
  server.closeAllConnections();
});
