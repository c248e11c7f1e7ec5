import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, query } from "../support/ask.ts";
import { requireNoCanary } from "../support/canaries.ts";
import { type Collector, namesOf, spanIn, startCollector } from "../support/collector.ts";
import { customerOf } from "../support/deliveries.ts";
import { type Running, run } from "../support/running.ts";

const headerSecret = "Bearer collector-secret";

let collector: Collector;
let running: Running;
beforeAll(async () => {
  collector = await startCollector();
  running = await run({
    CADASTRE_LISTINGS: "200",
    CADASTRE_WEBHOOK_LOOPBACK: "true",
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${encodeURIComponent(headerSecret)}`,
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test%20bed",
    OTEL_BSP_SCHEDULE_DELAY: "50",
  });
});
afterAll(async () => {
  await running.stop();
  await collector.stop();
});

const clientTrace = "0af7651916cd43dd8448eb211c80319c";
const literal = "Canary-Literal-4711";

const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(running.service.baseUrl, target, { "x-api-key": running.key("market"), ...headers });

const listingKeys = async (): Promise<readonly string[]> => {
  const { text } = await get("/reso/odata/Property?$select=ListingKey&$top=50");
  const { value } = JSON.parse(text) as { readonly value: readonly { readonly ListingKey: string }[] };
  return value.map(({ ListingKey }) => ListingKey);
};
const system = process.env["DATABASE"] === "postgres" ? "postgresql" : "sqlite";

describe("a trace of a request", () => {
  test("has a span for each stage, and belongs to the trace of the client", async () => {
    const filtered = query({ $filter: `City ne '${literal}'`, $top: 2 });
    await get(`/reso/odata/Property${filtered}`, {
      traceparent: `00-${clientTrace}-b7ad6b7169203331-01`,
      tracestate: `vendor=${literal}`,
      baggage: `user=${literal}`,
      "x-request-id": literal,
      "user-agent": literal,
    });
    const root = await collector.trace("GET /reso/odata/{entitySet}");
    expect([root.traceId, root.parentSpanId, root.kind]).toEqual([clientTrace, "b7ad6b7169203331", 2]);
    expect(root.attributes).toEqual({
      "http.request.method": "GET",
      "http.route": "/reso/odata/{entitySet}",
      "url.path": "/reso/odata/{entitySet}",
      "url.scheme": "http",
      "http.response.status_code": 200,
      "cadastre.end": "answered",
    });
    expect(root.status).toEqual({ code: 0 });
    // A query that takes longer than that of a page is run once more.
    expect(namesOf({ ...root, name: "root" })).toMatch(
      /^root\(authenticate parse parse parse bind restrict reserve run\((?:compile(?: wait query){1,2}|wait query compile(?: wait query compile)?)\) render send\)$/,
    );
    expect(spanIn(root, "run").attributes).toEqual({ "cadastre.entity_set": "Property" });
    const queried = spanIn(root, "query");
    expect(queried.kind).toBe(3);
    const { "cadastre.query.class": cost, ...database } = queried.attributes;
    expect(database).toEqual({ "db.system.name": system, "db.operation.name": "SELECT" });
    expect(cost).toMatch(/^(page|scan)$/);
    expect(root.resource).toMatchObject({
      "service.name": "cadastre",
      "deployment.environment.name": "test bed",
      "process.pid": process.pid,
    });
    for (const child of root.children) {
      expect(BigInt(child.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root.startTimeUnixNano));
      expect(BigInt(child.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(root.endTimeUnixNano));
    }
  });

  test("its id is in the log, and the log has none of a request to the health checks", async () => {
    const lines = running
      .log()
      .split("\n")
      .filter((line) => line.includes('"answered"'))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines.map(({ traceId }) => traceId)).toContain(clientTrace);
    await ask(running.service.baseUrl, "/health/live");
    const health = running
      .log()
      .split("\n")
      .findLast((line) => line.includes("/health/live"));
    expect(health).not.toContain("traceId");
  });

  test("of a look-up by key has no key", async () => {
    const [key] = await listingKeys();
    expect((await get(`/reso/odata/Property('${key}')`)).status).toBe(200);
    const root = await collector.trace("GET /reso/odata/{entitySet}('{key}')");
    expect(spanIn(root, "run").children.map(({ name }) => name)).toContain("query");
    expect(collector.text()).not.toContain(key);
  });

  test("of a batch has a span for each request in it", async () => {
    const requests = [
      { id: "1", method: "GET", url: `Property?$filter=City eq '${literal}'&$top=1` },
      { id: "2", method: "GET", url: `Property?$filter=${literal.replaceAll("-", "")} eq 1` },
      { id: "3", method: "GET", url: "Property/$count" },
    ];
    await ask(
      running.service.baseUrl,
      "/reso/odata/$batch",
      { "x-api-key": running.key("market"), "content-type": "application/json", prefer: "continue-on-error" },
      "POST",
      JSON.stringify({ requests }),
    );
    const root = await collector.trace("POST /reso/odata/$batch");
    const items = root.children.filter(({ name }) => name === "item");
    expect(items.map(({ attributes }) => attributes)).toEqual([
      {
        "http.request.method": "GET",
        "http.route": "/reso/odata/{entitySet}",
        "http.response.status_code": 200,
      },
      {
        "http.request.method": "GET",
        "http.route": "/reso/odata/{entitySet}",
        "http.response.status_code": 400,
        "error.type": "unknown_property",
      },
      {
        "http.request.method": "GET",
        "http.route": "/reso/odata/{entitySet}/$count",
        "http.response.status_code": 200,
      },
    ]);
    expect(items.map(({ status }) => status)).toEqual([{ code: 0 }, { code: 0 }, { code: 0 }]);
    const [first, second, third] = items;
    for (const item of [first, third]) expect(item && spanIn(item, "query").attributes).toBeDefined();
    expect(second && spanIn(second, "bind").status).toEqual({ code: 2, message: "unknown_property" });
  });

  test("of a refusal has its code, as an error of the stage that has refused it", async () => {
    await get(`/reso/odata/Member${query({ $filter: `${literal.replaceAll("-", "")} eq 1` })}`);
    await ask(running.service.baseUrl, "/reso/odata/Office", { "x-api-key": literal });
    await expect
      .poll(() => collector.traces("GET /reso/odata/{entitySet}").map((one) => one.attributes["error.type"]))
      .toContain("unknown_property");
    const refused = collector
      .traces("GET /reso/odata/{entitySet}")
      .find((one) => one.attributes["error.type"] === "unknown_property");
    expect(refused?.status).toEqual({ code: 0 });
    expect(refused && spanIn(refused, "bind").status).toEqual({ code: 2, message: "unknown_property" });
    const unknown = await collector.trace("GET");
    expect(unknown.attributes).toMatchObject({
      "error.type": "unauthorized",
      "http.response.status_code": 401,
    });
    expect(unknown.attributes).not.toHaveProperty("url.path");
    expect(spanIn(unknown, "authenticate").status).toEqual({ code: 2, message: "unauthorized" });
  });

  test("of a failure has the status of an error", async () => {
    expect((await get(`/reso/odata/Property${query({ $apply: literal })}`)).status).toBe(501);
    await expect
      .poll(() => collector.traces("GET /reso/odata/{entitySet}").map(({ status }) => status))
      .toContainEqual({ code: 2, message: "not_implemented" });
  });

  test("of the JSON interface reaches to the database", async () => {
    const [key] = await listingKeys();
    expect((await get(`/v1/listings/${key}`)).status).toBe(200);
    const root = await collector.trace("GET /v1/listings/{listing_key}");
    expect(root.children.map(({ name }) => name)).toEqual(["authenticate", "parse", "run", "render", "send"]);
    expect(spanIn(root, "run").children.map(({ name }) => name)).toContain("query");
  });
});

test("a delivery has a trace of its stages, and its webhook gets the trace of its message", async () => {
  const received: (string | undefined)[] = [];
  const { createServer } = await import("node:http");
  const receiver = createServer((req, res) => {
    received.push(req.headers["traceparent"] as string | undefined);
    req.resume();
    res.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => receiver.once("listening", resolve));
  const { port } = receiver.address() as { readonly port: number };
  const national = customerOf(running);
  await national.post("/v1/webhooks", { url: `http://127.0.0.1:${port}/${literal}` });
  const id = await national.complete();
  const build = await collector.trace("build");
  expect(build.attributes).toEqual({ "cadastre.delivery.id": id, "cadastre.outcome": "complete" });
  expect(build.children.map(({ name }) => name).join(" ")).toMatch(
    /^authorize (?:write |write store record )+seal$/,
  );
  await expect.poll(() => received.length, { timeout: 20_000 }).toBeGreaterThan(0);
  const sent = await collector.trace("webhook");
  expect(sent.children.map(({ name }) => name)).toEqual(["authorize", "post", "note"]);
  const post = spanIn(sent, "post");
  expect([post.kind, received]).toEqual([
    3,
    expect.arrayContaining([`00-${sent.traceId}-${post.spanId}-01`]),
  ]);
  expect(sent.attributes).toMatchObject({ "cadastre.outcome": "sent" });
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

test("no byte that is sent has a key, a literal or a value of a record", async () => {
  const text = collector.text();
  requireNoCanary(text, "the traces");
  for (const name of ["market", "national", "state", "coarse"]) expect(text).not.toContain(running.key(name));
  for (const secret of [
    literal,
    literal.replaceAll("-", ""),
    headerSecret,
    running.service.baseUrl,
    "127.0.0.1",
  ])
    expect(text).not.toContain(secret);
  const { value } = JSON.parse((await get("/reso/odata/Property?$top=50")).text) as {
    readonly value: readonly { readonly City?: string; readonly ListingKey?: string }[];
  };
  expect(value.length).toBeGreaterThan(10);
  for (const { City = literal, ListingKey = literal } of value) {
    expect(text).not.toContain(`"${City}"`);
    expect(text).not.toContain(ListingKey);
  }
  for (const headers of collector.headers())
    expect(headers).toMatchObject({
      ":path": "/v1/traces",
      authorization: headerSecret,
      "content-type": "application/json",
      "content-encoding": "gzip",
    });
  expect(running.log()).not.toContain(headerSecret);
});
