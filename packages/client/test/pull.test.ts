import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ConnectionOptions,
  connect,
  openTarget,
  type PullOptions,
  pull,
  requestExport,
} from "@cadastre/client";
import { afterEach, expect, test } from "vitest";
import { type PrepareTransfer, partsBy, transferPart } from "../src/fetch/transfer.ts";
import { jwks, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn, textIn } from "./support/folders.ts";
import { apiKey, json, startServer, type TestServer, type Trick } from "./support/server.ts";

const delivery = await makeDelivery();
const id = delivery.manifest.deliveryId;
let server: TestServer;
afterEach(() => server.close());

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
const retryPolicy = { tries: 3, timeout: 2000, pause: 5 };

async function pullInto(folder: string, options: Partial<PullOptions & ConnectionOptions> = {}) {
  const connection = connect({ url: server.url, apiKey, retryPolicy, ...options });
  const target = await openTarget(folder);
  return pull(connection, id, { target, staging: "", trust: jwks, reference: "load 1", ...options });
}

test("a delivery is fetched, verified, put in place and acknowledged", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const report = await pullInto(folder);
  expect(report).toMatchObject({
    standing: "new",
    acknowledged: true,
    delivery: { sha256: delivery.sha256 },
  });
  const names = delivery.manifest.parts.map(({ name }) => name);
  expect(filesIn(join(folder, id))).toEqual(["manifest.json", "signature.json", ...names].toSorted());
  for (const { name, number } of delivery.manifest.parts)
    expect(readFileSync(join(folder, id, name))).toEqual(delivery.parts.get(number));
  expect(readFileSync(join(folder, id, "manifest.json"))).toEqual(Buffer.from(delivery.bytes));
  const last = server.requests.at(-1);
  expect(last?.url).toBe(`/v1/file-exports/${id}/acknowledge`);
  expect(JSON.parse(last?.body ?? "")).toEqual({
    generation: 1,
    sequence: 0,
    manifest_sha256: delivery.sha256,
    customer_reference: "load 1",
  });
});

test("what was loaded is not fetched again, and is acknowledged again", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  await pullInto(folder);
  const before = server.requests.length;
  expect(await pullInto(folder)).toMatchObject({ standing: "done", acknowledged: true });
  expect(server.requests.slice(before).map(({ url }) => url)).toEqual([
    `/v1/file-exports/${id}/manifest`,
    `/v1/file-exports/${id}/acknowledge`,
  ]);
});

test("every request has the key, and a token goes to one place alone, once", async () => {
  server = await startServer(delivery);
  await pullInto(emptyFolder());
  expect(server.requests.every(({ headers }) => headers["x-api-key"] === apiKey)).toBe(true);
  const redeemed = server.requests.filter(({ headers }) => headers.authorization !== undefined);
  expect(new Set(redeemed.map(({ url }) => url))).toEqual(new Set(["/v1/file-downloads/redeem"]));
  expect(new Set(redeemed.map(({ headers }) => headers.authorization))).toEqual(
    new Set(Array.from(server.tokens, (token) => `Bearer ${token}`)),
  );
  expect(redeemed).toHaveLength(delivery.manifest.parts.length);
});

test("an interrupted pull goes on with the parts that are missing, and looks at those that are there", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const last = delivery.manifest.parts.at(-1);
  server.trick = ({ url }, response) =>
    url.endsWith(`part=${last?.number}`) && json(response, 500, { error: "x" });
  await expect(pullInto(folder, { parallel: 1 })).rejects.toMatchObject({ code: "request_refused" });
  expect(filesIn(folder).filter((name) => name.endsWith(".gz"))).toHaveLength(
    delivery.manifest.parts.length - 1,
  );

  server.trick = () => false;
  const before = server.requests.length;
  const received: number[] = [];
  await pullInto(folder, { onBytes: (bytes) => void received.push(bytes) });
  const granted = server.requests.slice(before).filter(({ url }) => url.includes("/download"));
  expect(granted.map(({ url }) => url)).toEqual([`/v1/file-exports/${id}/download?part=${last?.number}`]);
  expect(sum(received)).toBe(delivery.manifest.totals.byteLength);
});

test("a staged part that has changed meanwhile is fetched again", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const [first] = delivery.manifest.parts;
  server.trick = ({ url }, response) =>
    url.includes("/download") && !url.endsWith(`part=${first?.number}`) && json(response, 500, {});
  await expect(pullInto(folder, { parallel: 1 })).rejects.toThrow();
  const file = join(folder, ".staging", id, first?.name ?? "");
  const bytes = readFileSync(file);
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  server.trick = () => false;
  await pullInto(folder);
  expect(readFileSync(join(folder, id, first?.name ?? ""))).toEqual(delivery.parts.get(first?.number ?? 0));
});

test("what a killed run has left is not put in place", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  mkdirSync(join(folder, ".staging", id), { recursive: true });
  writeFileSync(join(folder, ".staging", id, "listing-00012.jsonl.gz.0a1b2c3d.partial"), "half");
  await pullInto(folder);
  // The parts, the manifest, its signature, and the pointer.
  expect(filesIn(folder)).toHaveLength(delivery.manifest.parts.length + 3);
});

const redeemPath = "/v1/file-downloads/redeem";
const rangesAsked = () =>
  server.requests.filter(({ url }) => url === redeemPath).map(({ headers }) => headers.range);

/** Sends the first bytes of parts, and breaks off; so many times. */
const breakOff = (times: number, pieces: (part: Buffer, from: number) => Buffer): Trick => {
  let left = times;
  return ({ url, headers }, response, { requests }) => {
    if (url !== redeemPath || left-- <= 0) return false;
    const asked = requests.findLast((request) => request.url.includes("/download?part="))?.url ?? "";
    const bytes = delivery.parts.get(Number(asked.split("=").at(-1))) ?? Buffer.alloc(0);
    const from = Number(/^bytes=(\d+)-/.exec(headers.range ?? "")?.[1] ?? 0);
    response.writeHead(from === 0 ? 200 : 206, {
      "content-length": bytes.length - from,
      ...(from === 0 ? {} : { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    response.write(pieces(bytes, from), () => response.socket?.end());
    return true;
  };
};

test("a transfer that breaks off goes on where it was, in this run and in a later one", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const more = (part: Buffer, from: number) => part.subarray(from, from + 10);
  server.trick = breakOff(2, more);
  const received: number[] = [];
  const events = { parallel: 1, onBytes: (bytes: number) => void received.push(bytes) };
  await pullInto(folder, events);
  expect(rangesAsked().slice(0, 3)).toEqual([undefined, "bytes=10-", "bytes=20-"]);
  expect(sum(received)).toBe(delivery.manifest.totals.byteLength);
  expect(filesIn(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);

  const other = emptyFolder();
  server.trick = breakOff(100, more);
  await expect(pullInto(other, events)).rejects.toMatchObject({ code: "server_busy" });
  const before = rangesAsked().length;
  server.trick = () => false;
  const maxBytes = delivery.manifest.totals.byteLength;
  await pullInto(other, { ...events, maxBytes });
  expect(rangesAsked()[before]).toMatch(/^bytes=[1-9]\d*-$/);
  for (const { name, number } of delivery.manifest.parts)
    expect(readFileSync(join(other, id, name))).toEqual(delivery.parts.get(number));
});

test.each(["other bytes", "too many bytes"])(
  "a part that was left with %s is fetched as a whole",
  async (what) => {
    server = await startServer(delivery);
    const folder = emptyFolder();
    const [first] = delivery.manifest.parts;
    mkdirSync(join(folder, ".staging", id), { recursive: true });
    const left = Buffer.alloc(what === "other bytes" ? 10 : (first?.byteLength ?? 0) + 1, "x");
    writeFileSync(join(folder, ".staging", id, `${first?.name}.partial`), left);
    const received: number[] = [];
    await pullInto(folder, { parallel: 1, onBytes: (bytes) => void received.push(bytes) });
    expect(sum(received)).toBe(delivery.manifest.totals.byteLength);
    expect(readFileSync(join(folder, id, first?.name ?? ""))).toEqual(delivery.parts.get(first?.number ?? 0));
  },
);

test("each try of a broken transfer has a grant of its own; a server without ranges sends all again", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  let broken = 0;
  server.trick = ({ url }, response) => {
    if (url !== redeemPath || broken > 2) return false;
    if (broken++ === 2) return !!response.end(delivery.parts.get(delivery.manifest.parts[0]?.number ?? 0));
    response.writeHead(200, { "content-length": 100_000 });
    response.write("a few bytes");
    setTimeout(() => response.destroy(), 5);
    return true;
  };
  const received: number[] = [];
  await pullInto(folder, { parallel: 1, onBytes: (bytes) => void received.push(bytes) });
  expect(server.tokens.size).toBe(delivery.manifest.parts.length + 2);
  expect(sum(received)).toBe(delivery.manifest.totals.byteLength);
  expect(filesIn(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
});

test("a transfer that breaks off before its bytes are read is tried again", async () => {
  server = await startServer(delivery);
  const file = join(emptyFolder(), "part");
  const [part] = delivery.manifest.parts;
  if (part === undefined) throw new Error("the delivery has a part");
  let requests = 0;
  server.trick = ({ url }, response) => {
    if (url !== redeemPath || requests++ > 0) return false;
    response.writeHead(200, { "content-length": part.byteLength });
    response.write(delivery.parts.get(part.number)?.subarray(0, 10));
    setTimeout(() => response.destroy(), 5);
    return true;
  };
  const connection = connect({ url: server.url, apiKey, retryPolicy });
  const openLate: PrepareTransfer = async (of, signal) => {
    const open = await partsBy(connection, id)(of, signal);
    return async (until, from) => {
      const opened = await open(until, from);
      await pause(50);
      return opened;
    };
  };
  await transferPart(connection, openLate, part, file, { onBytes: () => {}, onReceived: () => {} });
  expect(requests).toBe(2);
  expect(readFileSync(file)).toEqual(delivery.parts.get(part.number));
});

test("a busy server is asked again after the pause that it asks for", async () => {
  server = await startServer(delivery);
  const told: [string, number][] = [];
  let busy = 0;
  server.trick = (_, response) =>
    busy++ < 2 && json(response, busy === 1 ? 429 : 503, {}, { "retry-after": "1" });
  await pullInto(emptyFolder(), { onRetry: (reason, pause) => void told.push([reason, pause]) });
  expect(told.map(([reason]) => reason)).toEqual(["it gave 429", "it gave 503"]);
  expect(told.every(([, pause]) => pause >= 1000 && pause < 1050)).toBe(true);
});

test("an export that is being created is asked for again", async () => {
  server = await startServer(delivery);
  const statuses = [409, 429];
  server.trick = ({ method }, response) => {
    const status = method === "POST" ? statuses.shift() : undefined;
    if (status === undefined) return false;
    return json(response, status, { error: "idempotency_in_progress" }, { "retry-after": "0" });
  };
  const connection = connect({ url: server.url, apiKey, retryPolicy });
  expect(await requestExport(connection, { domain: "listing" })).toBe(id);
  const bodies = server.requests.map(({ body }) => body);
  expect(bodies).toEqual([bodies[0], bodies[0], bodies[0]]);
});

test.each([
  ["is busy without end", "server_busy", 429, {}],
  ["asks for too long a pause", "wait_too_long", 503, { "retry-after": "86400" }],
  ["does not know the key", "unauthorized", 401, {}],
  ["does not allow it", "forbidden", 403, {}],
  ["has no such delivery", "not_found", 404, {}],
  ["has let it expire", "delivery_expired", 410, {}],
] as const)("a server that %s ends the pull", async (_, code, status, headers) => {
  server = await startServer(delivery);
  server.trick = (__, response) => json(response, status, { error: "whatever" }, headers);
  await expect(pullInto(emptyFolder())).rejects.toMatchObject({ code });
});

test("a delivery that is not complete is one to come back for", async () => {
  server = await startServer(delivery);
  server.trick = (_, response) => json(response, 409, { error: "delivery_not_complete" });
  await expect(pullInto(emptyFolder())).rejects.toMatchObject({ code: "delivery_not_ready", exitCode: 4 });
});

test("an acknowledgement that the server does not take is a conflict, after the load", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  server.trick = ({ url }, response) =>
    url.endsWith("/acknowledge") && json(response, 409, { error: "manifest_conflict" });
  await expect(pullInto(folder)).rejects.toMatchObject({ code: "acknowledge_conflict" });
  expect(filesIn(join(folder, id))).toContain("manifest.json");
});

test("a pull can be stopped, and leaves whole parts alone", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const controller = new AbortController();
  server.trick = ({ url }, response) => {
    if (url !== "/v1/file-downloads/redeem") return false;
    response.writeHead(200, { "content-length": 100_000 }).write("a few bytes");
    setTimeout(() => controller.abort(), 10);
    return true;
  };
  await expect(pullInto(folder, { signal: controller.signal })).rejects.toMatchObject({
    code: "interrupted",
  });
  expect(filesIn(folder).filter((name) => !/\.(?:json|partial)$/.test(name))).toEqual([]);
});

test("a silent server is not waited for without end", async () => {
  server = await startServer(delivery);
  server.trick = ({ url }, response) => {
    if (url !== "/v1/file-downloads/redeem") return false;
    response.writeHead(200, { "content-length": 100_000 }).write("a few bytes");
    return true;
  };
  const began = performance.now();
  await expect(
    pullInto(emptyFolder(), { retryPolicy: { tries: 2, timeout: 100, pause: 5 } }),
  ).rejects.toMatchObject({
    code: "server_busy",
  });
  expect(performance.now() - began).toBeLessThan(2000);
});

test.each<readonly [string, Partial<PullOptions>, string | undefined]>([
  ["the schema's id and version", { pins: { schema: "listing@2.0.3" } }, undefined],
  ["the schema's hash", { pins: { schema: delivery.manifest.schema.sha256 } }, undefined],
  [
    "all three",
    { pins: { schema: "listing@2.0.3", profile: "listing-jsonl@4", entitlement: "7" } },
    undefined,
  ],
  ["another schema", { pins: { schema: "listing@2.0.4" } }, "pin_differs"],
  ["another profile", { pins: { profile: "listing-csv@4" } }, "pin_differs"],
  ["another version of the entitlement", { pins: { entitlement: "6" } }, "pin_differs"],
])("pinned to %s", async (_, options, code) => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const pulled = pullInto(folder, options);
  if (code === undefined) await pulled;
  else {
    await expect(pulled).rejects.toMatchObject({ code });
    expect(server.requests.some(({ url }) => url.includes("/download"))).toBe(false);
    expect(textIn(folder)).toBe("");
  }
});
