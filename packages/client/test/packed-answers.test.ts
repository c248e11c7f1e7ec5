import { gzipSync } from "node:zlib";
import { connect, fetchKeys, openTarget, pull, type RetryPolicy } from "@cadastre/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeDelivery } from "./support/deliveries.ts";
import { emptyFolder } from "./support/folders.ts";
import { apiKey, startServer, type TestServer, type Trick } from "./support/server.ts";

/** More than an answer may be, so that it takes a while to unpack what may be read of it. */
const bomb = gzipSync(Buffer.alloc(70_000_000, " "));
const packed = { "content-type": "application/json", "content-encoding": "gzip" };

const delivery = await makeDelivery();
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

/** Sends a piece of the bomb, and no more. */
const stall: Trick = (_, response) => response.writeHead(200, packed).write(bomb.subarray(0, 20_000)) || true;

const ask = (trick: Trick, retryPolicy: Partial<RetryPolicy>, signal?: AbortSignal) => {
  server.trick = trick;
  return fetchKeys(connect({ url: server.url, apiKey, retryPolicy: { pause: 1, ...retryPolicy }, signal }));
};

test("an answer is too large once it is unpacked", async () => {
  const all: Trick = (_, response) => !!response.writeHead(200, packed).end(bomb);
  await expect(ask(all, {})).rejects.toMatchObject({ code: "answer_too_long" });
});

test("an interrupt ends an answer that is being unpacked", async () => {
  const controller = new AbortController();
  const all: Trick = (_, response) => {
    setTimeout(() => controller.abort(), 100);
    return !!response.writeHead(200, packed).end(bomb);
  };
  await expect(ask(all, {}, controller.signal)).rejects.toMatchObject({ code: "interrupted" });
});

test("silence ends an answer of which a part was unpacked", async () => {
  await expect(ask(stall, { tries: 2, timeout: 1000 })).rejects.toMatchObject({
    code: "server_busy",
    message: expect.stringContaining("it fell silent") as string,
  });
});

test.each([
  ["a refusal", 403, "forbidden"],
  ["a busy answer", 503, "server_busy"],
  ["a redirection", 307, "redirect_refused"],
])("the body of %s is not waited for", async (_, status, code) => {
  const refuse: Trick = (__, response) => !!response.writeHead(status, packed).end(bomb);
  await expect(ask(refuse, { tries: 1, timeout: 5000 })).rejects.toMatchObject({ code });
});

test("a packed part is refused before it is read", async () => {
  server.trick = ({ url }, response) =>
    url.endsWith("/redeem") && !!response.writeHead(200, packed).end(bomb);
  const target = await openTarget(emptyFolder());
  const connection = connect({ url: server.url, apiKey });
  const options = { target, staging: "", trust: "published", reference: null } as const;
  await expect(pull(connection, delivery.manifest.deliveryId, options)).rejects.toMatchObject({
    code: "part_encoded",
  });
});
