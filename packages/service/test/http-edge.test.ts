import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createApiKey } from "../src/access/key-text.ts";
import { ask, type Headers } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "20", CADASTRE_TRUST_PROXY: "loopback,10.0.0.0/8" });
});
afterAll(() => running.stop());

/** Sends header lines as they are, and returns the whole answer. */
function send(target: string, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(running.service.port, "127.0.0.1");
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
    socket.write(`GET ${target} HTTP/1.1\r\n${[...lines, "connection: close"].join("\r\n")}\r\n\r\n`);
  });
}

test("Express changes no prototype: requests and answers are made with those of the application", async () => {
  const changed: unknown[] = [];
  const set = vi.spyOn(Object, "setPrototypeOf").mockImplementation((object: object, prototype) => {
    if (Object.getPrototypeOf(object) !== prototype) changed.push(object);
    Reflect.setPrototypeOf(object, prototype);
    return object;
  });
  const { status } = await ask(running.service.baseUrl, "/reso/odata", {
    "x-api-key": running.key("national"),
  });
  expect([status, set.mock.calls.length, changed]).toEqual([200, 2, []]);
  set.mockRestore();
});

describe("a header that may come once", () => {
  const host = "Host: localhost";
  const key = () => `x-api-key: ${running.key("national")}`;
  const bearer = () => `Authorization: Bearer ${running.key("national")}`;

  test.each<[string, () => readonly string[], string]>([
    ["two hosts", () => [host, "host: other.example", key()], "host"],
    ["the same host twice", () => [host, host, key()], "host"],
    ["two tokens", () => [host, bearer(), "authorization: Bearer x"], "authorization"],
    [
      "a wrong token before the right one",
      () => [host, "Authorization: Bearer x", bearer()],
      "authorization",
    ],
    ["two API keys", () => [host, key(), "X-API-Key: x"], "x-api-key"],
    ["an empty second API key", () => [host, key(), "X-Api-Key:"], "x-api-key"],
  ])("is refused with 400: %s", async (_what, lines, target) => {
    const odata = await send("/reso/odata", lines());
    expect(odata).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(odata.slice(odata.indexOf("{")))).toMatchObject({
      error: { code: "duplicate_header", target },
    });
    for (const path of ["/v1/account/resources", "/v1/file-exports", "/health/live", "/nope"]) {
      const plain = await send(path, lines());
      expect([path, plain.slice(9, 12), plain.includes(`{"error":"duplicate_header",`)]).toEqual([
        path,
        "400",
        true,
      ]);
    }
  });

  test("is accepted once, and others may be repeated", async () => {
    const lines = [
      host,
      key(),
      bearer(),
      "accept: application/json",
      "accept: */*",
      "x-forwarded-for: 10.0.0.9",
    ];
    expect(await send("/reso/odata", lines)).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("the client's address in the log", () => {
  test.each<[string, Headers, string]>([
    ["a client without a proxy", {}, "127.0.0.1"],
    ["X-Forwarded-For", { "x-forwarded-for": "192.0.2.7" }, "192.0.2.7"],
    [
      "what an untrusted proxy says is not believed",
      { "x-forwarded-for": "1.1.1.1, 192.0.2.7, 10.1.1.1" },
      "192.0.2.7",
    ],
    ["a port after the address", { "x-forwarded-for": "192.0.2.7:4711" }, "192.0.2.7"],
    ["Forwarded", { forwarded: 'for="[2001:db8::1]:4711";proto=https' }, "2001:db8::1"],
    ["Forwarded, two proxies", { forwarded: "for=1.1.1.1, for=192.0.2.8, for=10.1.1.1" }, "192.0.2.8"],
    ["an IPv4 address that is mapped", { "x-forwarded-for": "::ffff:192.0.2.9" }, "192.0.2.9"],
    ["a name that is no address", { forwarded: "for=_hidden" }, "127.0.0.1"],
    [
      "X-Forwarded-For before Forwarded",
      { forwarded: "for=1.1.1.1", "x-forwarded-for": "192.0.2.7" },
      "192.0.2.7",
    ],
  ])("%s", async (name, headers, address) => {
    const requestId = name.replaceAll(/\W/g, "-");
    const known = { "x-api-key": running.key("national"), "x-request-id": requestId };
    await ask(running.service.baseUrl, "/reso/odata", { ...known, ...headers });
    const line = () =>
      running
        .log()
        .split("\n")
        .find((one) => one.includes(`"requestId":"${requestId}"`));
    await expect.poll(line).toBeDefined();
    expect(JSON.parse(line() ?? "")).toMatchObject({ address, status: 200 });
  });

  test("is also told for a refused key", async () => {
    const headers = {
      "x-api-key": createApiKey(),
      "x-request-id": "refused",
      "x-forwarded-for": "192.0.2.66",
    };
    expect((await ask(running.service.baseUrl, "/reso/odata", headers)).status).toBe(401);
    await expect.poll(() => running.log()).toMatch(/"requestId":"refused".*"address":"192\.0\.2\.66"/);
  });
});
