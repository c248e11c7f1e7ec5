import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask, toCollection } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({
    CADASTRE_LISTINGS: "1000",
    CADASTRE_IDLE_SECONDS: "2",
    CADASTRE_ADMIN_PORT: "0",
    CADASTRE_MEMORY: "512",
  });
});
afterAll(() => running.stop());

const page = "/reso/odata/Property?$top=1000";

/** Value of a metric of the service. */
async function metric(name: string): Promise<number> {
  const { text } = await ask(`http://127.0.0.1:${running.service.adminPort}`, "/metrics");
  return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1]);
}

/** Sends a request and reads nothing of the answer. */
async function unread(
  target: string,
  headers: Readonly<Record<string, string>> = {},
  times = 1,
): Promise<Socket> {
  const { hostname, port } = new URL(running.service.baseUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.pause();
  socket.on("error", () => {});
  await new Promise((resolve) => socket.once("connect", resolve));
  const lines = Object.entries({ host: hostname, "x-api-key": running.key("national"), ...headers });
  const request = `GET ${target} HTTP/1.1\r\n${lines.map((line) => `${line.join(": ")}\r\n`).join("")}\r\n`;
  socket.write(request.repeat(times));
  return socket;
}

async function until(isMet: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 200; turn += 1) {
    if (await isMet()) return;
    await wait(50);
  }
  throw new Error("it was not met in 10 s");
}

test.each([
  ["plain", {}],
  ["compressed", { "accept-encoding": "br" }],
])(
  "a client that reads nothing of a %s answer holds its page for as long as it may, and no longer",
  async (_form, headers) => {
    const socket = await unread(page, headers);
    await until(async () => (await metric("cadastre_answers_bytes")) > 10_000_000);
    await until(async () => (await metric("cadastre_answers_bytes")) === 0);
    socket.destroy();
  },
);

test("an answer that waits for its turn on a connection releases its memory when the client disconnects", async () => {
  const socket = await unread(page, {}, 2);
  await until(async () => (await metric("cadastre_answers_bytes")) > 10_000_000);
  await wait(300);
  socket.destroy();
  await until(async () => (await metric("cadastre_answers_bytes")) === 0);
});

test("the bytes of a page are counted until it was sent, and the pages of a customer beyond its share wait for one another", async () => {
  expect(await metric("cadastre_answers_bytes_limit")).toBe(96 * 1024 ** 2);
  const replies = await Promise.all(
    Array.from({ length: 3 }, () =>
      ask(running.service.baseUrl, page, { "x-api-key": running.key("national") }),
    ),
  );
  for (const reply of replies) expect([reply.status, toCollection(reply).value.length]).toEqual([200, 1000]);
  expect(await metric("cadastre_answers_bytes")).toBe(0);
});

test("a client that has gone before its page gives back what was kept for it", async () => {
  for (let turn = 0; turn < 4; turn += 1) {
    const socket = await unread(page);
    await wait(20 * turn);
    socket.destroy();
  }
  await until(async () => (await metric("cadastre_answers_bytes")) === 0);
});

test("a client that reads slowly for longer than it may read nothing gets all of it", async () => {
  const { hostname, port } = new URL(running.service.baseUrl);
  const started = performance.now();
  const length = await new Promise<number>((resolve, reject) => {
    const headers = { "x-api-key": running.key("national") };
    const sent = request({ hostname, port, path: page, headers, agent: false }, (res) => {
      let bytes = 0;
      res.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > 25_000_000) return;
        res.pause();
        setTimeout(() => res.resume(), (chunk.length / 8_000_000) * 1000);
      });
      res.on("error", reject);
      res.on("end", () => resolve(bytes));
    });
    sent.on("error", reject);
    sent.end();
  });
  expect(length).toBeGreaterThan(10_000_000);
  expect(performance.now() - started).toBeGreaterThan(2400);
});

test.each([
  ["/reso/odata/$metadata", {}],
  ["/reso/odata/$metadata", { "accept-encoding": "gzip" }],
])("%s is the same for whom takes it slowly", async (target, headers) => {
  const key = { "x-api-key": running.key("national") };
  const whole = await ask(running.service.baseUrl, target, key);
  const again = await ask(running.service.baseUrl, target, { ...key, ...headers });
  if (!("accept-encoding" in headers)) expect(again.text).toBe(whole.text);
  expect(again.status).toBe(200);
  expect(Number(whole.headers["content-length"])).toBe(Buffer.byteLength(whole.text));
});

test("answers beside those that clients have left are the same bytes as ever", async () => {
  const pages = [0, 200, 400].map((skip) => `/reso/odata/Property?$top=200&$skip=${skip}`);
  const textOf = async (target: string) =>
    JSON.stringify(
      toCollection(await ask(running.service.baseUrl, target, { "x-api-key": running.key("national") }))
        .value,
    );
  const expected = await Promise.all(pages.map(textOf));
  for (let turn = 0; turn < 10; turn += 1) {
    const left = await Promise.all(
      pages.flatMap((target) => [unread(target), unread(target, { "accept-encoding": "gzip" })]),
    );
    const texts = Promise.all(pages.map(textOf));
    for (const socket of left) {
      await wait(5 * (turn % 4));
      socket.destroy();
    }
    expect((await texts).map((text, at) => text === expected[at])).toEqual([true, true, true]);
  }
});
