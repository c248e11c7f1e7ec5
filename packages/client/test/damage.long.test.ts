import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Connection, connect, follow, openTarget, pull, serviceFeed } from "@cadastre/client";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deltaAfter, seedAfter, subscription } from "./support/chain.ts";
import { pricesIn, pricesOf } from "./support/copies.ts";
import { jwks, listings, makeDelivery } from "./support/deliveries.ts";
import { emptyFolder, filesIn } from "./support/folders.ts";
import { runHere } from "./support/program.ts";
import { apiKey, json, startServer, type TestServer, type Trick } from "./support/server.ts";

const delivery = await makeDelivery();
const { deliveryId: id, parts } = delivery.manifest;
const [first] = parts;
let server: TestServer;
beforeEach(async () => {
  server = await startServer(delivery);
});
afterEach(() => server.close());

const retryPolicy = { tries: 1, timeout: 2000, pause: 1 };
const flipped = (bytes: Buffer, at: number) => {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};

/** Flips a byte of one part, so many times. */
function damage(number: number, times: number): Trick {
  const tokens = new Set<string>();
  let left = times;
  return ({ url, headers }, response, { tokens: granted, requests }) => {
    if (url !== "/v1/file-downloads/redeem") return false;
    const asked = requests.findLast((request) => request.url.includes("/download"))?.url ?? "";
    const token = headers.authorization ?? "";
    if (!asked.endsWith(`part=${number}`) || left-- <= 0) return false;
    // Each time by a grant of its own.
    expect(tokens.has(token)).toBe(false);
    expect(granted.has(token.replace("Bearer ", ""))).toBe(true);
    tokens.add(token);
    response.end(flipped(delivery.parts.get(number) ?? Buffer.alloc(0), 40));
    return true;
  };
}

async function pullInto(
  folder: string,
  from: Connection = connect({ url: server.url, apiKey, retryPolicy }),
) {
  const target = await openTarget(folder);
  return pull(from, id, { target, staging: "", trust: jwks, reference: null, parallel: 1 });
}

const grantsOf = (number = 0) => server.requests.filter(({ url }) => url.endsWith(`download?part=${number}`));

test.each([1, 2])(
  "a part that comes damaged %d times is asked for again with a new grant, and taken",
  async (times) => {
    server.trick = damage(first?.number ?? 0, times);
    await pullInto(emptyFolder());
    expect(grantsOf(first?.number)).toHaveLength(times + 1);
  },
);

test("a part that comes damaged three times ends the run, and what was verified is kept for the next one", async () => {
  const folder = emptyFolder();
  const last = parts.at(-1);
  server.trick = damage(last?.number ?? 0, 3);
  await expect(pullInto(folder)).rejects.toMatchObject({
    code: "part_hash_differs",
    exitCode: 5,
    message: expect.stringMatching(/3 times: do not trust its source/) as string,
  });
  expect(grantsOf(last?.number)).toHaveLength(3);
  expect(filesIn(folder).filter((name) => name.endsWith(".gz"))).toHaveLength(parts.length - 1);
  const before = server.requests.length;
  await pullInto(folder);
  const asked = server.requests.slice(before).filter(({ url }) => url.includes("/download"));
  expect(asked.map(({ url }) => url)).toEqual([`/v1/file-exports/${id}/download?part=${last?.number}`]);
});

describe("a part that the server rebuilds", () => {
  test.each([/\/download/, /\/redeem$/])("is waited for (%s)", async (path) => {
    let refused = 0;
    server.trick = ({ url }, response) =>
      path.test(url) &&
      refused++ < 2 &&
      json(response, 503, { error: "part_rebuilding" }, { "retry-after": "0" });
    const told: string[] = [];
    const onRetry = (reason: string) => void told.push(reason);
    const connection = connect({
      url: server.url,
      apiKey,
      retryPolicy: { ...retryPolicy, tries: 3 },
      onRetry,
    });
    await pullInto(emptyFolder(), connection);
    expect(told).toEqual(Array(2).fill("it is rebuilding the part"));
  });

  test.each([/\/download/, /\/redeem$/])("is left for later after the tries (%s)", async (path) => {
    server.trick = ({ url }, response) => path.test(url) && json(response, 503, { error: "part_rebuilding" });
    await expect(pullInto(emptyFolder())).rejects.toMatchObject({ code: "part_rebuilding", exitCode: 4 });
  });
});

test("a part that is lost ends the pull, and the next one asks for another export", async () => {
  const folder = emptyFolder();
  const flags = ["pull", "--domain", "listing", "--url", server.url, "--into", folder];
  server.trick = ({ url }, response) =>
    url.includes("/download") && json(response, 410, { error: "part_lost" });
  const { code, stderr } = await runHere(flags);
  expect(stderr).toContain("part_lost: ");
  expect(code).toBe(3);
  server.trick = () => false;
  await runHere(flags);
  const bodies = server.requests.filter(({ method }) => method === "POST").map(({ body }) => body);
  expect(new Set(bodies.filter((body) => body.includes("idempotencyKey"))).size).toBe(2);
});

test("a delivery that is pushed to a bucket is told to be read there", async () => {
  server.trick = (_, response) => json(response, 409, { error: "delivered_to_bucket" });
  const { code, stderr } = await runHere(["pull", id, "--url", server.url, "--into", emptyFolder()]);
  expect(stderr).toMatch(/delivered_to_bucket: .*--from-bucket/);
  expect(code).toBe(3);
});

test.each([
  ["expired", "entitlement_expired"],
  ["active", "entitlement_changed"],
])("an entitlement whose state is %s is told as %s", async (state, told) => {
  server.trick = ({ url }, response) =>
    url === "/v1/account/resources"
      ? json(response, 200, { data: { entitlement_state: state, grants: [], datasets: [] }, meta: {} })
      : json(response, 403, { error: "entitlement_changed" });
  const { code, stderr } = await runHere(["pull", id, "--url", server.url, "--into", emptyFolder()]);
  expect(stderr).toContain(`${told}: `);
  expect(code).toBe(3);
});

test.each(["constructor", "__proto__", "toString"])("an error code %s is that of no table", async (error) => {
  server.trick = (_, response) => json(response, 403, { error });
  await expect(pullInto(emptyFolder())).rejects.toMatchObject({ code: "forbidden" });
});

const seed = await seedAfter(undefined, { rowsPerPart: 40, datasets: { listing: listings(60) } });
const delta = await deltaAfter(seed, { datasets: { listing: listings(5, 100) } });
const copy = pricesOf([...listings(60), ...listings(5, 100)]);

/** Follows without end until the copy is whole, or it ends by itself. */
async function followUntil(url: string) {
  const folder = emptyFolder();
  const file = join(folder, "copy.sqlite");
  const controller = new AbortController();
  const { signal } = controller;
  const target = await openTarget(`sqlite:${file}`);
  const feed = serviceFeed(connect({ url, apiKey, retryPolicy, signal }), subscription, {
    trust: "published",
    reference: "x",
  });
  const paused: string[] = [];
  const onPause = ({ code }: { readonly code: string }) => void paused.push(code);
  const staging = join(folder, "staging");
  const following = follow(feed, { target, staging, parallel: 1, pauses: [2, 10], signal, onPause }).catch(
    (error: unknown) => error,
  );
  let last: unknown;
  void following.then((error) => {
    last = error;
  });
  while (last === undefined && !isWhole(file)) await setTimeout(5);
  // That which ends it from now on is the signal.
  const ended = last;
  controller.abort();
  await following;
  await target.close();
  return { ended, paused };
}

function isWhole(file: string): boolean {
  try {
    return JSON.stringify(pricesIn(file)) === JSON.stringify(copy);
  } catch {
    return false;
  }
}

/** A server between, which flips one byte of one answer. */
async function startFlipping(answer: number, share: number) {
  let met = 0;
  const between = createServer((request, response) => {
    const pass = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = "GET", url = "", headers } = request;
      const body = method === "GET" ? {} : { body: Buffer.concat(chunks) };
      const sent = { "x-api-key": String(headers["x-api-key"]), authorization: headers.authorization ?? "" };
      const asked = await fetch(server.url + url, { method, headers: sent, ...body });
      const bytes = Buffer.from(await asked.arrayBuffer());
      response.writeHead(asked.status, { "content-type": "application/json" });
      response.end(met++ === answer ? flipped(bytes, Math.floor(share * bytes.length)) : bytes);
    };
    // A connection to the server that breaks off breaks off for the client as well.
    pass().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void between.listen(0, "127.0.0.1", resolve));
  const close = () => {
    between.closeAllConnections();
    between.close();
  };
  return { url: `http://127.0.0.1:${(between.address() as AddressInfo).port}`, close, met: () => met };
}

describe("a run that goes on", () => {
  beforeEach(() => {
    server.deliveries.clear();
    for (const one of [seed, delta]) server.deliveries.set(one.manifest.deliveryId, one);
  });

  test("is not ended by a flipped byte of any answer", async () => {
    const clean = await startFlipping(-1, 0);
    await followUntil(clean.url);
    clean.close();
    for (let answer = 0; answer < clean.met(); answer++)
      for (const share of [0.02, 0.3, 0.6, 0.97]) {
        const between = await startFlipping(answer, share);
        const { ended } = await followUntil(between.url);
        between.close();
        expect({ answer, share, ended }).toEqual({ answer, share, ended: undefined });
      }
  }, 60_000);

  test("outlives a part that is damaged for long, and keeps what was verified", async () => {
    const [part] = seed.manifest.parts;
    let left = 12;
    server.trick = ({ url }, response, { requests }) => {
      const asked = requests.findLast((request) => request.url.includes("/download"))?.url ?? "";
      const isHit =
        url.endsWith("/redeem") &&
        asked.endsWith(`${seed.manifest.deliveryId}/download?part=${part?.number}`);
      return (
        isHit &&
        left-- > 0 &&
        !!response.end(flipped(seed.parts.get(part?.number ?? 0) ?? Buffer.alloc(0), 40))
      );
    };
    const { ended, paused } = await followUntil(server.url);
    expect(ended).toBeUndefined();
    expect(paused.length).toBeGreaterThan(2);
    expect(new Set(paused)).toEqual(new Set(["part_hash_differs"]));
    const [, second] = seed.manifest.parts;
    expect(grantsOf(second?.number)).toHaveLength(1);
  });

  test("goes on once a delivery whose part was lost is made again", async () => {
    let refused = 0;
    server.trick = ({ url }, response) =>
      url.includes("/download") && refused++ < 5 && json(response, 410, { error: "part_lost" });
    const { ended, paused } = await followUntil(server.url);
    expect(ended).toBeUndefined();
    expect(paused).toContain("part_lost");
  });

  test("ends at the third wrong signature in a row", async () => {
    const foreign = { ...seed, signature: delta.signature };
    server.deliveries.set(seed.manifest.deliveryId, foreign);
    const { ended, paused } = await followUntil(server.url);
    expect(ended).toMatchObject({ code: "signature_invalid" });
    expect(paused).toEqual(["signature_invalid", "signature_invalid"]);
  });

  test("ends at once where the deliveries are pushed to a bucket", async () => {
    server.trick = (_, response) => json(response, 409, { error: "delivered_to_bucket" });
    const { ended, paused } = await followUntil(server.url);
    expect(ended).toMatchObject({ code: "delivered_to_bucket" });
    expect(paused).toEqual([]);
  });
});
