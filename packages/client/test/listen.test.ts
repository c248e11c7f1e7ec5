import { createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ReceivedRequest, startWebhookReceiver } from "../src/listen/receiver.ts";
import { emptyFolder } from "./support/folders.ts";
import { runHere } from "./support/program.ts";

const key = randomBytes(32);
const secret = `whsec_${key.toString("base64")}`;

const message = {
  type: "delivery.completed",
  timestamp: "2026-11-22T04:03:12.000Z",
  data: { delivery_id: "d" },
};

/** Sends a message as the service does. */
function send(
  url: string,
  { id = "m1", body = JSON.stringify(message), by = key, age = 0, method = "POST" } = {},
) {
  const timestamp = String(Math.floor(Date.now() / 1000) - age);
  const signature = createHmac("sha256", by).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
  return fetch(url, { method, headers, ...(method === "POST" ? { body } : {}) });
}

async function receiver(forwardTo?: URL) {
  const received: ReceivedRequest[] = [];
  const started = await startWebhookReceiver({
    host: "127.0.0.1",
    port: 0,
    secret: Promise.resolve(secret),
    forwardTo,
    onRequest: (one) => void received.push(one),
  });
  onTestFinished(() => started.close());
  return { ...started, received };
}

test("a message of the service is taken, and told to be one that came before", async () => {
  const { url, received } = await receiver();
  for (const id of ["m1", "m2", "m1"]) expect((await send(url, { id })).status).toBe(204);
  expect(received).toEqual(
    [false, false, true].map((isRepeated, i) => ({
      message: { id: i === 1 ? "m2" : "m1", ...message },
      isRepeated,
      status: 204,
    })),
  );
});

const events = {
  "@reso.context": "urn:reso:metadata:2.0:resource:entityevent",
  value: [
    { EntityEventSequence: 3, ResourceName: "Property", ResourceRecordKey: "p1" },
    { EntityEventSequence: 7, ResourceName: "Media", ResourceRecordKey: "m1" },
  ],
};

test("pushed entity events are taken, and those that do not ascend are refused", async () => {
  const { url, received } = await receiver();
  expect((await send(url, { body: JSON.stringify(events) })).status).toBe(204);
  const reversed = { ...events, value: events.value.toReversed() };
  expect((await send(url, { id: "m2", body: JSON.stringify(reversed) })).status).toBe(401);
  expect(received).toEqual([
    { message: { id: "m1", source: undefined, events: events.value }, isRepeated: false, status: 204 },
    { refused: "webhook_malformed", status: 401 },
  ]);
});

test.each([
  ["another secret", { by: randomBytes(32) }, 401, "webhook_not_authentic"],
  ["an old signature", { age: 400 }, 401, "webhook_too_old"],
  ["no message", { body: "[]" }, 401, "webhook_malformed"],
  ["another method", { method: "GET" }, 405, "method_not_allowed"],
  ["too much", { body: "x".repeat(600_000) }, 413, "too_large"],
])("what has %s is refused", async (_, how, status, refused) => {
  const { url, received } = await receiver();
  expect((await send(url, how)).status).toBe(status);
  expect(received).toEqual([{ refused, status }]);
});

test("a request that is broken off is no end of the receiver", async () => {
  const { url, received } = await receiver();
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf");
  socket.destroy();
  expect((await send(url)).status).toBe(204);
  expect(received).toHaveLength(1);
});

test("what cannot be forwarded is answered with 502, and is not known afterwards", async () => {
  const closed = createServer();
  closed.listen(0, "127.0.0.1");
  await once(closed, "listening");
  const { port } = closed.address() as AddressInfo;
  closed.close();
  const { url, received } = await receiver(new URL(`http://127.0.0.1:${port}/`));
  for (let i = 0; i < 2; i++) expect((await send(url)).status).toBe(502);
  expect(received).toMatchObject([{ isRepeated: false }, { isRepeated: false }]);
});

test("a redirect of the application is not followed", async () => {
  const asked: string[] = [];
  const application = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(307, { location: "/elsewhere" }).end();
  });
  application.listen(0, "127.0.0.1");
  await once(application, "listening");
  onTestFinished(() => void application.close());
  const { url } = await receiver(
    new URL(`http://127.0.0.1:${(application.address() as AddressInfo).port}/hook`),
  );
  expect((await send(url)).status).toBe(307);
  expect(asked).toEqual(["/hook"]);
});

test("a port that is taken is told", async () => {
  const { url } = await receiver();
  const { port } = new URL(url);
  const file = join(emptyFolder(), "secret");
  writeFileSync(file, secret);
  const { code, stderr } = await runHere(["listen", "--port", port, "--secret-file", file]);
  expect([code, stderr]).toEqual([7, expect.stringContaining(`port_unavailable: 127.0.0.1:${port}`)]);
});

test.each<readonly [string, readonly string[], string]>([
  ["no secret", [], "webhook_secret_needed: give the webhook's secret"],
  ["a file of no secret", ["--secret-file", "package.json"], "webhook_secret_invalid"],
  ["no file", ["--secret-file", "/none"], "file_unreadable"],
  ["--register without an address", ["--register"], "option '--register' needs '--url <origin>'"],
  ["--test alone", ["--test"], "option '--test' needs '--register'"],
  ["--public-url alone", ["--public-url", "https://x.example"], "option '--public-url' needs '--register'"],
  ["an unknown event", ["--events", "delivery.lost"], "Allowed are entitlement.changed, delivery.completed"],
  ["entity events beside others", ["--events", "entity.changed,delivery.failed"], "or entity.changed alone"],
  ["no port", ["--port", "65536"], "It must be a port from 0 to 65535."],
  ["no address to forward to", ["--forward-to", "ftp://x"], "It must be an http or https address"],
])("with %s the command line is wrong", async (_, args, words) => {
  const { code, stderr, stdout } = await runHere(["listen", ...args]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(words);
});
