import { networkInterfaces } from "node:os";
import express from "express";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readConfig } from "../src/config.ts";
import { DemoSignIn, offersSignIn } from "../src/demo/sign-in.ts";
import { addSignIn } from "../src/demo/sign-in-route.ts";
import { onError } from "../src/http/on-error.ts";
import { listen } from "../src/http/server.ts";
import { createLog } from "../src/log.ts";
import { ask, type Headers } from "./support/ask.ts";

const keys = [{ name: "national", apiKey: "cadastre_text", summary: "every listing" }];
const ownPage = { "content-type": "application/json", "sec-fetch-site": "same-origin" };

let signIn: DemoSignIn | undefined;
let given = 0;
let port: number;
let stop: () => Promise<void>;
beforeAll(async () => {
  const app = express();
  app.use((req, res, next) => {
    const routes = express.Router();
    addSignIn(routes, signIn, () => given++);
    routes(req, res, next);
  });
  app.use(onError(createLog("silent")));
  const server = await listen(app, { host: "0.0.0.0", port: 0 });
  ({ port } = server);
  stop = () => server.stop(0);
});
afterAll(() => stop());

/** Sends a code, by default from the page of this machine. */
const send = (code: unknown, headers: Headers = ownPage, host = "127.0.0.1") =>
  ask(`http://${host}:${port}`, "/demo-keys", headers, "POST", JSON.stringify({ code }));
const errorOf = ({ status, text }: { status: number; text: string }) =>
  [status, (JSON.parse(text) as { error?: string }).error] as const;

function offer(): string {
  signIn = new DemoSignIn(keys);
  return signIn.code;
}

test("a code is exchanged for the keys once, and the answer is not stored", async () => {
  const code = offer();
  given = 0;
  const reply = await send(code);
  expect([reply.status, JSON.parse(reply.text), reply.headers["cache-control"]]).toEqual([
    200,
    { data: keys },
    "no-store",
  ]);
  expect(errorOf(await send(code))).toEqual([403, "invalid_sign_in_code"]);
  expect(given).toBe(1);
});

test("a code is void after five wrong ones", async () => {
  const code = offer();
  for (const wrong of ["", "x", `${code}x`, code.slice(1)])
    expect(errorOf(await send(wrong))).toEqual([403, "invalid_sign_in_code"]);
  expect((await send(code)).status).toBe(200);
  const second = offer();
  for (const wrong of ["1", "2", "3", "4", "5"]) await send(wrong);
  expect(errorOf(await send(second))).toEqual([403, "invalid_sign_in_code"]);
});

test("another body or method is refused, and leaves the code valid", async () => {
  const code = offer();
  for (const wrong of [1, null, "x".repeat(101)])
    expect(errorOf(await send(wrong))).toEqual([400, "invalid_request"]);
  expect((await ask(`http://127.0.0.1:${port}`, "/demo-keys", ownPage)).status).toBe(405);
  expect((await send(code, { "sec-fetch-site": "same-origin" })).status).toBe(415);
  expect((await send(code)).status).toBe(200);
});

describe("no key is given", () => {
  const refused = [404, "sign_in_unavailable"];

  test.each<Headers>([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "" },
    { host: "evil.example" },
    { host: "127.0.0.1.evil.example" },
    { host: "localhost.evil.example:8080" },
    { forwarded: "for=192.0.2.1" },
    { "x-forwarded-for": "127.0.0.1" },
    { "x-forwarded-proto": "https" },
    { "x-real-ip": "127.0.0.1" },
    { via: "1.1 proxy" },
  ])("to a request with %j", async (headers) => {
    const code = offer();
    expect(errorOf(await send(code, { ...ownPage, ...headers }))).toEqual(refused);
    expect((await send(code)).status).toBe(200);
  });

  test.each(["127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:3000"])(
    "but to one for the host %s it is",
    async (host) => {
      expect((await send(offer(), { ...ownPage, host })).status).toBe(200);
    },
  );

  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;
  test.skipIf(outside === undefined)("to another machine", async () => {
    const code = offer();
    expect(errorOf(await send(code, { ...ownPage, host: "localhost" }, outside))).toEqual(refused);
    expect((await send(code)).status).toBe(200);
  });

  test("by a service that offers no sign-in", async () => {
    signIn = undefined;
    expect(errorOf(await send("x"))).toEqual(refused);
  });
});

test("a sign-in is offered by a service that only this machine can reach, without a proxy", () => {
  expect(offersSignIn(readConfig({}))).toBe(true);
  expect(offersSignIn(readConfig({ HOST: "::1" }))).toBe(true);
  for (const settings of [
    { HOST: "0.0.0.0" },
    { HOST: "192.0.2.1" },
    { CADASTRE_BASE_URL: "http://127.0.0.1:8080" },
    { CADASTRE_TRUST_PROXY: "loopback" },
    { CADASTRE_PROCESSES: "2" },
    { CADASTRE_EXPLORER: "false" },
    { CADASTRE_DEMO_SIGN_IN: "false" },
  ])
    expect([settings, offersSignIn(readConfig(settings))]).toEqual([settings, false]);
});
