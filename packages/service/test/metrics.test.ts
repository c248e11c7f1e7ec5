import { afterEach, expect, test } from "vitest";
import { ask } from "./support/ask.ts";
import { errorText } from "./support/error-body.ts";
import { type Running, run } from "./support/running.ts";

let running: Running | undefined;
afterEach(() => running?.stop());

test("requests are counted by template, method and status, and nothing tells whose they are", async () => {
  running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_ADMIN_PORT: "0" });
  const { baseUrl, adminPort, examples } = running.service;
  const key = { "x-api-key": running.key("market") };
  const listingKey = String(examples?.listingKey);
  const json = { ...key, "content-type": "application/json" };
  await ask(baseUrl, "/reso/odata/Property?$filter=City%20eq%20'Hidden'&$top=1", key);
  await ask(baseUrl, `/reso/odata/Property('${listingKey}')`, key);
  await ask(baseUrl, "/reso/odata/Property('nope')", key);
  await ask(baseUrl, "/reso/odata/Property/$query", { ...key, "content-type": "text/plain" }, "POST");
  await ask(
    baseUrl,
    "/reso/odata/$batch",
    json,
    "POST",
    '{"requests":[{"id":"1","method":"GET","url":"Property"}]}',
  );
  await ask(baseUrl, "/health/live");
  await ask(baseUrl, "/reso/odata", { "x-api-key": "wrong" });
  await ask(baseUrl, "/secret-path", key, "BREW");

  const reply = await ask(`http://127.0.0.1:${adminPort}`, "/metrics");
  expect([reply.status, reply.headers["content-type"]]).toEqual([
    200,
    "text/plain; version=0.0.4; charset=utf-8",
  ]);
  const counted = (method: string, route: string, status: number) =>
    reply.text.includes(
      `cadastre_http_request_duration_seconds_count{method="${method}",route="${route}",status="${status}"} `,
    );
  for (const [method, route, status] of [
    ["GET", "/reso/odata/{entitySet}", 200],
    ["GET", "/reso/odata/{entitySet}('{key}')", 404],
    ["POST", "/reso/odata/{entitySet}/$query", 200],
    ["POST", "/reso/odata/$batch", 200],
    ["GET", "/health/live", 200],
    ["GET", "none", 401],
  ] as const) {
    expect([route, counted(method, route, status)]).toEqual([route, true]);
  }
  expect(reply.text).toMatch(/cadastre_queries_waiting 0\n/);
  expect(reply.text).toMatch(/cadastre_event_loop_block_seconds\{time="elapsed"\} 0\.\d/);
  expect(reply.text).toMatch(/cadastre_event_loop_block_seconds\{time="cpu"\} 0\.\d/);
  expect(reply.text).toMatch(/nodejs_eventloop_lag_p99_seconds \d/);
  expect(reply.text).not.toMatch(/Hidden|market|cadastre_[A-Za-z0-9]{20}|secret-path|BREW|Property/);
  expect(reply.text).not.toContain(listingKey);
  expect((await ask(`http://127.0.0.1:${adminPort}`, "/nope")).text).toBe(errorText("not_found"));
});

test("without a port there are none, and the service itself never shows them", async () => {
  running = await run({ CADASTRE_LISTINGS: "50" });
  const { baseUrl, adminPort } = running.service;
  expect(adminPort).toBeUndefined();
  expect((await ask(baseUrl, "/metrics")).status).toBe(401);
  expect((await ask(baseUrl, "/metrics", { "x-api-key": running.key("market") })).status).toBe(404);
});
