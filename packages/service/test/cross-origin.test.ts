import { afterEach, describe, expect, test } from "vitest";
import { ask, type Headers, type Reply } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running | undefined;
afterEach(() => running?.stop());

const page = "/reso/odata/Property?$top=1";
const app = "https://app.example";

async function start(origins: string) {
  const service = await run({ CADASTRE_LISTINGS: "20", CADASTRE_CORS_ORIGINS: origins });
  running = service;
  const key = { "x-api-key": service.key("national") };
  return {
    get: (headers: Headers, target = page) => ask(service.service.baseUrl, target, { ...key, ...headers }),
    preflight: (origin: string, target = page) =>
      ask(
        service.service.baseUrl,
        target,
        {
          origin,
          "access-control-request-method": "GET",
          "access-control-request-headers": "odata-maxversion,x-api-key,x-csrf-token",
        },
        "OPTIONS",
      ),
    keyless: (headers: Headers) => ask(service.service.baseUrl, page, headers),
  };
}

const allowed = ({ headers }: Reply) => headers["access-control-allow-origin"];
const words = (header: unknown) => String(header).toLowerCase().split(/,\s*/);

test("without the setting no other origin is allowed anything", async () => {
  const { get, preflight } = await start("");
  const reply = await get({ origin: app });
  expect([reply.status, allowed(reply)]).toEqual([200, undefined]);
  expect((await preflight(app)).status).toBe(401);
});

describe("with origins", () => {
  test("a preflight needs no key, and a page of a listed origin may read what it needs", async () => {
    const { get, preflight } = await start(`${app}, http://localhost:5173`);
    const asked = await preflight(app);
    expect([asked.status, allowed(asked), asked.text]).toEqual([204, app, ""]);
    expect(words(asked.headers["access-control-allow-headers"])).toContain("x-csrf-token");
    expect(words(asked.headers["access-control-allow-methods"])).toEqual(["get", "head", "post", "options"]);
    expect(asked.headers["access-control-allow-credentials"]).toBeUndefined();
    const reply = await get({ origin: "http://localhost:5173", "x-csrf-token": "Fetch" });
    expect([reply.status, allowed(reply)]).toEqual([200, "http://localhost:5173"]);
    expect(words(reply.headers["access-control-expose-headers"])).toEqual(
      expect.arrayContaining(["odata-version", "etag", "ratelimit-remaining", "x-request-id"]),
    );
  });

  test("answers that differ by origin say so, errors too, and each header is there once", async () => {
    const { get, keyless } = await start(app);
    for (const reply of [
      await get({ origin: app }),
      await get({ origin: app }, "/reso/odata/Nope"),
      await get({ origin: app }, "/health/live"),
      await keyless({ origin: app }),
    ]) {
      expect(allowed(reply)).toBe(app);
      expect(words(reply.headers["vary"]).filter((name) => name === "origin")).toEqual(["origin"]);
    }
    expect(words((await get({ origin: app })).headers["vary"])).toContain("x-api-key");
  });

  test("any other origin gets an answer that its page cannot read", async () => {
    const { get, preflight } = await start(app);
    for (const origin of ["https://evil.example", "null", `${app}.evil.example`]) {
      expect(allowed(await get({ origin }))).toBeUndefined();
      expect(allowed(await preflight(origin))).toBeUndefined();
    }
  });

  test("`*` allows every origin, and OPTIONS that is no preflight needs a key", async () => {
    const { get, preflight, keyless } = await start("*");
    expect(allowed(await get({ origin: "https://any.example" }))).toBe("*");
    expect((await preflight("null")).status).toBe(204);
    expect((await keyless({ origin: app })).status).toBe(401);
  });
});
