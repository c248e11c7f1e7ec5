import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { jwks, type TestDelivery } from "./deliveries.ts";

/** A request that the server received. */
type Recorded = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};

/** Answers in place of the server. If it returns false, the server answers. */
export type Trick = (
  request: Recorded,
  response: ServerResponse,
  server: TestServer,
) => boolean | Promise<boolean>;

export type TestServer = {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** All tokens that were granted. */
  readonly tokens: ReadonlySet<string>;
  readonly deliveries: Map<string, TestDelivery>;
  /** States of deliveries that are not complete. */
  readonly states: Map<string, string>;
  trick: Trick;
  readonly close: () => Promise<void>;
};

const listing = /^\/v1\/file-export-subscriptions\/([\w-]+)\/deliveries\?limit=(\d+)(?:&from=(\d+)\.(\d+))?$/;

export const apiKey = "cadastre_test_A7bC9dE1fG3hJ5kL";

export const json = (response: ServerResponse, status: number, body: unknown, headers = {}): true => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  return true;
};

/** Arguments of a `follow` that loads what there is into a target, and ends. */
export const followOnce = (server: TestServer, subscription: string, into: string): readonly string[] => [
  "follow",
  "--subscription",
  subscription,
  "--url",
  server.url,
  "--into",
  into,
  "--once",
];

/** Starts a server of deliveries that follows the contract. A test can replace each answer by a trick. */
export async function startServer(...deliveries: readonly TestDelivery[]): Promise<TestServer> {
  const requests: Recorded[] = [];
  const granted = new Map<string, Buffer>();
  const keyed = new Map<string, string>();
  const listener = createServer((incoming, response) => {
    const serve = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(request);
      if (!(await server.trick(request, response, server))) answer(request, response);
    };
    // A request that is aborted gets no answer.
    serve().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => void listener.listen(0, "127.0.0.1", resolve));
  const server: TestServer = {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    requests,
    get tokens() {
      return new Set(granted.keys());
    },
    deliveries: new Map(deliveries.map((delivery) => [delivery.manifest.deliveryId, delivery])),
    states: new Map(),
    trick: () => false,
    close: () =>
      new Promise((resolve) => {
        listener.close(() => resolve());
        listener.closeAllConnections();
      }),
  };

  function answer({ method, url, headers, body }: Recorded, response: ServerResponse): unknown {
    if (headers["x-api-key"] !== apiKey) return json(response, 401, { error: "unauthorized" });
    if (url === "/.well-known/jwks.json") return json(response, 200, jwks);
    if (url === "/v1/file-downloads/redeem") {
      const bytes = granted.get(headers.authorization?.replace(/^Bearer /, "") ?? "");
      if (bytes === undefined) return json(response, 401, { error: "invalid_token" });
      const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
      const range =
        from === 0 ? {} : { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
      return response
        .writeHead(from === 0 ? 200 : 206, {
          "content-length": bytes.length - from,
          "cache-control": "no-store",
          ...range,
        })
        .end(bytes.subarray(from));
    }
    if (method === "POST" && url === "/v1/file-exports") {
      const { idempotencyKey } = JSON.parse(body) as { idempotencyKey: string };
      const [first = ""] = server.deliveries.keys();
      const id = keyed.get(idempotencyKey) ?? first;
      keyed.set(idempotencyKey, id);
      return json(response, 202, { data: { id, status: "queued" }, meta: {} });
    }
    if (method === "GET" && /^\/v1\/file-export-subscriptions\/[\w-]+$/.test(url))
      return json(response, 200, { data: { status: "active", failure: null }, meta: {} });
    const [, subscription, limit, ...from] = listing.exec(url) ?? [];
    if (subscription !== undefined)
      return json(response, 200, { data: listed(subscription, Number(limit), from.map(Number)), meta: {} });
    const [, hash] = /^\/v1\/(?:schemas|profiles)\/([0-9a-f]{64})$/.exec(url) ?? [];
    const document = [...server.deliveries.values()]
      .map(({ documents }) => documents.get(hash ?? ""))
      .find((found) => found !== undefined);
    if (document !== undefined)
      return response.writeHead(200, { "content-type": "application/json" }).end(document);
    const [, id = "", rest] = /^\/v1\/file-exports\/([\w-]+)(.*)$/.exec(url) ?? [];
    const delivery = server.deliveries.get(id);
    if (delivery === undefined) return json(response, 404, { error: "not_found" });
    if (rest === "") return json(response, 200, { data: { id, status: "complete" }, meta: {} });
    if (rest === "/manifest") return sendManifest(response, delivery);
    if (rest === "/acknowledge") return json(response, 201, { data: { delivery_id: id }, meta: {} });
    const number = /^\/download\?part=(\d+)$/.exec(rest ?? "")?.[1];
    const part = number === "0" ? Buffer.from(delivery.bytes) : delivery.parts.get(Number(number));
    if (part === undefined) return json(response, 404, { error: "part_not_found" });
    return json(response, 200, { data: grantOf(part), meta: {} });
  }

  const listed = (subscription: string, limit: number, [since = Number.NaN, place = 0]: readonly number[]) =>
    [...server.deliveries.values()]
      .map(({ manifest }) => manifest)
      .filter(({ subscriptionId }) => subscriptionId === subscription)
      .filter(
        ({ generation, sequence }) =>
          Number.isNaN(since) || generation > since || (generation === since && sequence >= place),
      )
      .toSorted(
        (a, b) => (Number.isNaN(since) ? 1 : -1) * (b.generation - a.generation || b.sequence - a.sequence),
      )
      .slice(0, limit)
      .map(({ deliveryId: id, generation, sequence }) => {
        const status = server.states.get(id) ?? "complete";
        return { id, generation, sequence, status };
      });

  function grantOf(part: Buffer) {
    const token = `ldsg_${randomBytes(24).toString("hex")}`;
    granted.set(token, part);
    return { kind: "logical", url: "/v1/file-downloads/redeem", bearer_token: token };
  }
  return server;
}

/** Starts a server for all tests of a file. Each test begins without deliveries on it. */
export function useServer(): () => TestServer {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());
  beforeEach(() => server.deliveries.clear());
  return () => server;
}

/** Sends a manifest, with changes to its text or its `meta`. */
export function sendManifest(
  response: ServerResponse,
  { bytes, sha256, signature, manifest }: TestDelivery,
  change: { readonly data?: (text: string) => string; readonly meta?: object } = {},
): true {
  const text = new TextDecoder().decode(bytes);
  const meta = {
    manifest_sha256: sha256,
    entitlement_version: manifest.entitlement.version,
    signature,
    ...change.meta,
  };
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(`{"data":${change.data?.(text) ?? text},"meta":${JSON.stringify(meta)}}`);
  return true;
}
