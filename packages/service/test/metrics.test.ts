import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { metricsOfProcesses } from "../src/processes/metrics-of-processes.ts";
import { ask } from "./support/ask.ts";
import { customerOf, dataOf } from "./support/deliveries.ts";
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
  expect(reply.text).toMatch(/cadastre_queries_running\{class="scan"\} 0\n/);
  expect(reply.text).toMatch(/cadastre_build_age_seconds \d/);
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

/** Returns the metrics by name, with the sum of their values. */
async function figures({ service }: Running): Promise<ReadonlyMap<string, number>> {
  const { text } = await ask(`http://127.0.0.1:${service.adminPort}`, "/metrics");
  const found = new Map<string, number>();
  for (const [, name = "", value] of text.matchAll(/^(\w+)(?:\{.*\})? (\S+)$/gm))
    found.set(name, (found.get(name) ?? 0) + Number(value));
  return found;
}

test("what waits for a worker is counted, and how long the oldest has waited", async () => {
  running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_ADMIN_PORT: "0", CADASTRE_WORKER: "false" });
  expect((await figures(running)).get("cadastre_deliveries_waiting")).toBe(0);
  await customerOf(running).created();
  await customerOf(running).created();
  const started = running;
  await expect.poll(async () => (await figures(started)).get("cadastre_deliveries_waiting")).toBe(2);
  await expect
    .poll(async () => (await figures(started)).get("cadastre_delivery_oldest_wait_seconds"))
    .toBeGreaterThan(0.5);
  expect((await figures(running)).get("cadastre_webhook_messages_waiting")).toBe(0);
});

test("deliveries are counted by state and code, with what was built, stored and sent, and the age of each copy", async () => {
  running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_ADMIN_PORT: "0" });
  const started = running;
  const { manifest, redeem, grant, ...national } = customerOf(started);
  const body = { name: "copy", domain: "listing", deliveryMode: "pull", cadenceSeconds: 86_400 };
  const { id } = dataOf<{ id: string }>(await national.post("/v1/file-export-subscriptions", body));
  const listed = async () =>
    dataOf<{ id: string; status: string }[]>(
      await national.get(`/v1/file-export-subscriptions/${id}/deliveries`),
    );
  await expect.poll(listed, { timeout: 20_000 }).toMatchObject([{ status: "complete" }]);
  const [seed] = await listed();
  const { data } = await manifest(seed?.id ?? "");
  const { number = 0, byteLength = 0 } = data.parts[0] ?? {};
  const sent = await redeem(await grant(seed?.id ?? "", number));
  expect((await sent.arrayBuffer()).byteLength).toBe(byteLength);
  await expect
    .poll(async () => (await figures(started)).get("cadastre_delivery_bytes_served_total"))
    .toBe(byteLength);
  const { text } = await ask(`http://127.0.0.1:${started.service.adminPort}`, "/metrics");
  const bytes = data.parts.reduce((sum, part) => sum + part.byteLength, 0);
  for (const line of [
    'cadastre_deliveries_open{state="building"} 0',
    `cadastre_parts ${data.parts.length}`,
    `cadastre_parts_bytes ${bytes}`,
  ])
    expect(text).toContain(`${line}\n`);
  expect(text).toMatch(/cadastre_delivery_rows_per_second (?!0\n)\d/);
  expect(text).toMatch(/cadastre_parts_disk_free_bytes \d{6}/);
  expect(text).toMatch(
    new RegExp(`cadastre_subscription_delivered_age_seconds\\{subscription="${id}"\\} \\d`),
  );
  expect(text).not.toContain("demo-national");
}, 60_000);

test("the README, the dashboard and the alerts name the metrics that there are, and the README all of them", async () => {
  running = await run({ CADASTRE_LISTINGS: "50", CADASTRE_ADMIN_PORT: "0" });
  await ask(running.service.baseUrl, "/health/live");
  const { text } = await ask(`http://127.0.0.1:${running.service.adminPort}`, "/metrics");
  const ofProcesses = await metricsOfProcesses(() => undefined).write();
  // Metrics of standbys have no values here.
  const declared = `${text}\n${ofProcesses}`.matchAll(/^# TYPE (cadastre_\w+)/gm);
  const bases = new Set([...declared].map(([, name = ""]) => name));
  const named = (file: string, pattern: RegExp) =>
    new Set(
      [...readFileSync(file, "utf8").matchAll(pattern)].map(([name]) =>
        name.replace(/_(?:bucket|count|sum)$/, ""),
      ),
    );
  const readme =
    readFileSync("packages/service/README.md", "utf8").split("\n## Metrics\n")[1]?.split("\n## ")[0] ?? "";
  expect(new Set(readme.match(/\bcadastre_\w+/g))).toEqual(bases);
  const folder = "examples/deployment/monitoring";
  for (const file of [`${folder}/dashboard.json`, `${folder}/alerts.yaml`, "docs/scaling.md"]) {
    const names = named(file, /\bcadastre_\w+/g);
    expect(names.size).toBeGreaterThan(3);
    for (const name of names) expect([file, [...bases]]).toEqual([file, expect.arrayContaining([name])]);
  }
});
