import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { contentCodingOf, contentCodings } from "../src/http/compression.ts";
import { ask, type Headers } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300" });
  base = running.service.baseUrl;
});
afterAll(() => running.stop());

const key = () => ({ "x-api-key": running.key("national") });
const page = "/reso/odata/Property?$top=200&$filter=ListPrice%20gt%200&$orderby=ListingKey";
const first = "/reso/odata/Property?$top=1&$orderby=ListingKey";

type Raw = { readonly status: number; readonly headers: Headers; readonly bytes: Buffer };

function get(target: string, headers: Headers = {}, method = "GET", body = ""): Promise<Raw> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const options = { hostname, port, path: target, method, agent: false, headers: { ...key(), ...headers } };
    const sent = request(options, (res) => {
      const pieces: Buffer[] = [];
      res.on("data", (piece: Buffer) => pieces.push(piece));
      res.on("error", reject);
      res.on("end", () => {
        const bytes = Buffer.concat(pieces);
        resolve({ status: res.statusCode ?? 0, headers: res.headers as Headers, bytes });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** A page without what differs from one answer to the next. */
const pageOf = (bytes: Buffer) => bytes.toString().replace(/"@odata.nextLink":.*/, "");

test.each([
  ["br", brotliDecompressSync],
  ["gzip", gunzipSync],
])("%s has the same content, with fewer bytes", async (encoding, decompress) => {
  const [plain, small] = [await get(page), await get(page, { "accept-encoding": encoding })];
  expect([plain.headers["content-encoding"], small.headers["content-encoding"]]).toEqual([
    undefined,
    encoding,
  ]);
  expect(pageOf(decompress(small.bytes))).toBe(pageOf(plain.bytes));
  expect(small.bytes.length).toBeLessThan(plain.bytes.length / 3);
  for (const { headers } of [plain, small]) expect(headers["vary"]).toContain("accept-encoding");
});

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["identity", undefined],
  ["gzip", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["GZIP;q=1.0, br;q=0.5", "gzip"],
  ["br;q=0, *", "gzip"],
  ["*", "br"],
  ["*;q=0", undefined],
  ["br;q=0,gzip;q=0", undefined],
  ["br;q=nonsense", undefined],
  [`${"a".repeat(60_000)}`, undefined],
])("of %s the best is %s", (header, encoding) => {
  expect(contentCodingOf(header, contentCodings)).toBe(encoding);
});

test("short answers and errors are as they are", async () => {
  const accept = { "accept-encoding": "br" };
  for (const target of ["/reso/odata", "/reso/odata/Property/$count", `/reso/odata/Nope?${"x".repeat(5000)}`])
    expect((await get(target, accept)).headers["content-encoding"]).toBeUndefined();
});

test("HEAD has the headers of GET", async () => {
  const accept = { "accept-encoding": "gzip" };
  const { headers, bytes } = await get(page, accept, "HEAD");
  expect([headers["content-encoding"], headers["content-length"], bytes.length]).toEqual([
    "gzip",
    undefined,
    0,
  ]);
});

test("a compressed answer has a weak tag, and is recognised by it", async () => {
  const { value } = JSON.parse((await get(first)).bytes.toString()) as { value: { ListingKey: string }[] };
  const target = `/reso/odata/Property('${value[0]?.ListingKey}')`;
  const [plain, small] = [await get(target), await get(target, { "accept-encoding": "br" })];
  expect(small.headers["etag"]).toBe(`W/${plain.headers["etag"]}`);
  for (const { headers } of [plain, small]) {
    const again = await get(target, { "accept-encoding": "br", "if-none-match": String(headers["etag"]) });
    expect([again.status, again.headers["etag"], again.bytes.length]).toEqual([304, headers["etag"], 0]);
    expect(again.headers["content-encoding"]).toBeUndefined();
  }
});

test("a batch is compressed as a whole", async () => {
  const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
  const requests = [{ id: "1", method: "GET", url: first.slice("/reso/odata/".length) }];
  const reply = await get("/reso/odata/$batch", headers, "POST", JSON.stringify({ requests }));
  expect(JSON.parse(gunzipSync(reply.bytes).toString())).toMatchObject({
    responses: [{ id: "1", status: 200 }],
  });
});

test("clients that leave in the middle leave what the store has lent as it is", async () => {
  const { hostname, port } = new URL(base);
  const leave = () =>
    new Promise<void>((resolve) => {
      const headers = { ...key(), "accept-encoding": "br" };
      const sent = request({ hostname, port, path: page, agent: false, headers }, (res) => {
        res.destroy();
        resolve();
      });
      sent.on("error", () => resolve());
      sent.end();
    });
  await Promise.all(Array.from({ length: 20 }, leave));
  const [plain, small] = [await get(page), await get(page, { "accept-encoding": "br" })];
  expect(pageOf(brotliDecompressSync(small.bytes))).toBe(pageOf(plain.bytes));
});

test("it can be switched off", async () => {
  const other = await run({ CADASTRE_LISTINGS: "50", CADASTRE_COMPRESSION: "false" });
  const headers = { "x-api-key": other.key("national"), "accept-encoding": "br" };
  const reply = await ask(other.service.baseUrl, page, headers);
  await other.stop();
  expect([reply.status, reply.headers["content-encoding"]]).toEqual([200, undefined]);
});
