import type { LookupAddress } from "node:dns";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { answerWith, type Receiver, startReceiver } from "../../src/testing/receiver.ts";
import { type PostOptions, post } from "../../src/webhooks/post.ts";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = answerWith(204);
});
afterAll(() => receiver.stop());

const message = { headers: { "webhook-id": "msg_1" }, body: '{"é":1}' };
const at = (host: string) => new URL(`http://${host}:${receiver.port}/hook`);
const v4 = (...addresses: string[]) => addresses.map((address): LookupAddress => ({ address, family: 4 }));
const outcome = (url: URL, options: PostOptions = {}) =>
  post(url, message, { timeout: 2000, ...options }).then(
    ({ status }) => status,
    (error: Error) => error.name,
  );

test("a message arrives as it is, and its status comes back", async () => {
  receiver.answer = answerWith(429, { "retry-after": "7" });
  const url = new URL(receiver.url);
  expect(await post(url, message, { loopback: true })).toEqual({ status: 429, retryAfter: "7" });
  const [{ headers, body } = { headers: {}, body: "" }] = receiver.received;
  expect(body).toBe(message.body);
  expect(headers).toMatchObject({
    host: `127.0.0.1:${receiver.port}`,
    "content-type": "application/json",
    "content-length": "8",
    "webhook-id": "msg_1",
  });
});

describe("nothing is sent", () => {
  test.each<[string, string, LookupAddress[]]>([
    ["to this machine", "127.0.0.1", []],
    ["to a name of this machine", "localhost", v4("127.0.0.1")],
    ["to a name that leads to this machine", "hooks.example", v4("127.0.0.1")],
    ["to a name that leads to a private network", "hooks.example", v4("10.0.0.7")],
    ["to a name that leads to the metadata of a cloud", "hooks.example", v4("169.254.169.254")],
    ["to a name that leads elsewhere too", "hooks.example", v4("93.184.216.34", "127.0.0.1")],
    ["to a mapped address", "hooks.example", [{ address: "::ffff:127.0.0.1", family: 6 }]],
    ["to a name that leads nowhere", "hooks.example", []],
  ])("%s", async (_, host, addresses) => {
    expect(await outcome(at(host), { resolve: async () => addresses })).toBe("RangeError");
    expect(receiver.received).toEqual([]);
  });

  test("to a number that stands for this machine", async () => {
    for (const host of ["2130706433", "0x7f000001", "[::ffff:127.0.0.1]"])
      expect(await outcome(at(host))).toBe("RangeError");
    expect(receiver.received).toEqual([]);
  });

  test("even where this machine may be told, to another private address", async () => {
    const resolve = async () => v4("127.0.0.1", "192.168.0.1");
    expect(await outcome(at("hooks.example"), { loopback: true, resolve })).toBe("RangeError");
  });
});

test("a name is looked up once: the connection goes where it was checked", async () => {
  const answers = [v4("127.0.0.1"), v4("169.254.169.254")];
  let asked = 0;
  const resolve = async () => answers[asked++] ?? [];
  expect(await outcome(at("hooks.example"), { loopback: true, resolve })).toBe(204);
  expect(asked).toBe(1);
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${receiver.port}`);
});

test("a redirect is not followed", async () => {
  receiver.answer = answerWith(307, { location: `${receiver.url}/elsewhere` });
  expect(await outcome(new URL(receiver.url), { loopback: true })).toBe(307);
  expect(receiver.received.map(({ url }) => url)).toEqual(["/hook"]);
});

test("an answer without end is not read", async () => {
  let isClosed = false;
  receiver.answer = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("x".repeat(65_536)), 1);
    response.on("close", () => {
      clearInterval(timer);
      isClosed = true;
    });
  };
  expect(await outcome(new URL(receiver.url), { loopback: true })).toBe(200);
  await expect.poll(() => isClosed, { timeout: 20_000 }).toBe(true);
});

test.each([
  [3, 204],
  [10_000, "RangeError"],
])("%i informational responses before the answer give %s", async (count, expected) => {
  const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n".repeat(count);
  receiver.answer = ({ socket }) => {
    socket?.write(`${early}HTTP/1.1 204 No Content\r\n\r\n`);
  };
  expect(await outcome(new URL(receiver.url), { loopback: true })).toBe(expected);
});

test("who does not answer in time is given up, and so is a name that is not found in time", async () => {
  receiver.answer = () => {};
  expect(await outcome(new URL(receiver.url), { loopback: true, timeout: 50 })).toBe("PostTimeout");
  const resolve = () => new Promise<never>(() => {});
  expect(await outcome(at("hooks.example"), { resolve, timeout: 50 })).toBe("PostTimeout");
});

test("who stops it, stops it", async () => {
  receiver.answer = () => {};
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(), 20);
  const { signal } = stopping;
  expect(await outcome(new URL(receiver.url), { loopback: true, signal })).toBe("AbortError");
  expect(await outcome(new URL(receiver.url), { loopback: true, signal })).toBe("AbortError");
});
