import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { connect, openTarget, pull } from "@cadastre/client";
import { signManifest } from "@cadastre/manifest";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type DeliveryOptions, jwks, listings, makeDelivery, sha256Of } from "./support/deliveries.ts";
import { emptyFolder, filesIn, textIn } from "./support/folders.ts";
import { run } from "./support/program.ts";
import { apiKey, json, sendManifest, startServer, type TestServer, type Trick } from "./support/server.ts";

const delivery = await makeDelivery();
const { deliveryId: id, parts } = delivery.manifest;
const [first, second] = parts;
let server: TestServer;
/** Another origin, which would like the key and the tokens. */
let thief: TestServer;
beforeAll(async () => {
  thief = await startServer(delivery);
});
afterAll(() => thief.close());
afterEach(() => server.close());

/** What a try of a trick has left: the error, what was told, and all that lies on the disk. */
async function tryTrick(trick: Trick, from = delivery) {
  server = await startServer(from);
  server.trick = trick;
  const folder = emptyFolder();
  const told: string[] = [];
  const connection = connect({
    url: server.url,
    apiKey,
    retryPolicy: { tries: 3, timeout: 2000, pause: 1 },
    onRetry: (reason) => void told.push(reason),
  });
  const target = await openTarget(folder);
  const options = { target, staging: "", trust: "published", reference: "x", parallel: 1 } as const;
  const error = await pull(connection, from.manifest.deliveryId, options).then(
    () => undefined,
    (fault: unknown) => fault,
  );
  expect(thief.requests).toEqual([]);
  const left = [
    textIn(folder),
    told.join(),
    String(error),
    error instanceof Error ? String(error.stack) : "",
  ].join();
  for (const secret of [...server.tokens, apiKey, "ldsg_"]) expect(left).not.toContain(secret);
  const files = filesIn(folder);
  return { error, files, loaded: files.some((file) => file.startsWith(id)) };
}

/** A trick that is played on one path alone. */
const on =
  (form: RegExp, trick: Trick): Trick =>
  (request, ...rest) =>
    form.test(request.url) && trick(request, ...rest);

const download = /\/download\?/;
const redeem = /\/redeem$/;
const manifest = /\/manifest$/;
const token = "ldsg_0123456789abcdef0123456789abcdef";
const logical = { kind: "logical", url: "/v1/file-downloads/redeem", bearer_token: token };
const grant = (change: object) =>
  on(download, (_, response) => json(response, 200, { data: { ...logical, ...change } }));

const grants: readonly (readonly [string, Trick, string])[] = [
  ["an absolute address", grant({ url: "http://thief.example/v1/file-downloads/redeem" }), "grant_url"],
  [
    "an address of the same origin",
    on(download, (_, response) =>
      json(response, 200, { data: { ...logical, url: `${server.url}${logical.url}` } }),
    ),
    "grant_url",
  ],
  [
    "the address of a thief",
    on(download, (_, response) =>
      json(response, 200, { data: { ...logical, url: `${thief.url}${logical.url}` } }),
    ),
    "grant_url",
  ],
  ["a scheme-relative address", grant({ url: "//thief.example/v1/file-downloads/redeem" }), "grant_url"],
  ["a backslash", grant({ url: "/\\thief.example/v1/file-downloads/redeem" }), "grant_url"],
  ["another path", grant({ url: "/v1/file-downloads/redeem2" }), "grant_url"],
  ["a trailing slash", grant({ url: "/v1/file-downloads/redeem/" }), "grant_url"],
  ["a way up", grant({ url: "/v1/file-downloads/../file-downloads/redeem" }), "grant_url"],
  ["capitals", grant({ url: "/V1/file-downloads/redeem" }), "grant_url"],
  ["an escape", grant({ url: "/v1/file-downloads/%72edeem" }), "grant_url"],
  ["white space", grant({ url: " /v1/file-downloads/redeem" }), "grant_url"],
  ["a line break", grant({ url: "/v1/file-downloads/redeem\n" }), "grant_url"],
  ["a query", grant({ url: "/v1/file-downloads/redeem?a=b" }), "grant_url"],
  ["an empty query", grant({ url: "/v1/file-downloads/redeem?" }), "grant_url"],
  ["a fragment", grant({ url: "/v1/file-downloads/redeem#a" }), "grant_url"],
  ["a list for an address", grant({ url: ["/v1/file-downloads/redeem"] }), "grant_url"],
  ["no address", grant({ url: undefined }), "grant_url"],
  [
    "direct_https",
    grant({ kind: "direct_https", url: "https://thief.example/part", bearer_token: undefined }),
    "grant_kind",
  ],
  ["direct_https with the right address", grant({ kind: "direct_https" }), "grant_kind"],
  ["an unknown kind", grant({ kind: "Logical" }), "grant_kind"],
  ["no kind", grant({ kind: undefined }), "grant_kind"],
  ["one more member", grant({ headers: { "x-thief": "1" } }), "grant_malformed"],
  ["no token", grant({ bearer_token: undefined }), "grant_malformed"],
  ["an empty token", grant({ bearer_token: "" }), "grant_malformed"],
  ["a token that is a header", grant({ bearer_token: `${token}\r\nx-thief: 1` }), "grant_malformed"],
  ["a token with a space", grant({ bearer_token: `${token} ${token}` }), "grant_malformed"],
  ["a token of another type", grant({ bearer_token: 1_234_567_890_123_456 }), "grant_malformed"],
  ["no data", on(download, (_, response) => json(response, 200, logical)), "answer_malformed"],
  [
    "a list for data",
    on(download, (_, response) => json(response, 200, { data: [logical] })),
    "answer_malformed",
  ],
  ["no JSON", on(download, (_, response) => !!response.end("<html>")), "answer_malformed"],
];

describe("a grant with", () => {
  test.each(grants)("%s is refused", async (_, trick, code) => {
    const { error, loaded } = await tryTrick(trick);
    expect(error).toMatchObject({ code, exitCode: 5 });
    expect(server.requests.some(({ url }) => redeem.test(url))).toBe(false);
    expect(loaded).toBe(false);
  });
});

const redirections = [301, 302, 303, 307, 308].flatMap((status) =>
  [/^\/\.well-known/, manifest, download, redeem, /\/acknowledge$/].map((path) => [status, path] as const),
);

test.each(redirections)("a redirection by %i of %s is not followed", async (status, path) => {
  const { error } = await tryTrick(
    on(path, ({ url }, response) => !!response.writeHead(status, { location: thief.url + url }).end()),
  );
  expect(error).toMatchObject({ code: "redirect_refused", exitCode: 5 });
});

test("a redirection to the same origin is not followed either", async () => {
  const { error } = await tryTrick(
    on(
      redeem,
      (_, response) => !!response.writeHead(307, { location: "/v1/file-downloads/redeem?again" }).end(),
    ),
  );
  expect(error).toMatchObject({ code: "redirect_refused" });
});

const bytesOf = (number = 0) => delivery.parts.get(number) ?? Buffer.alloc(0);
const changed = (bytes: Buffer) => {
  const copy = Buffer.from(bytes);
  copy[40] = (copy[40] ?? 0) ^ 1;
  return copy;
};
const send = (bytes: Buffer, headers = {}) =>
  on(redeem, (_, response) => !!response.writeHead(200, headers).end(bytes));

const transfers: readonly (readonly [string, Trick, string])[] = [
  ["one bit is another", send(changed(bytesOf(first?.number))), "part_hash_differs"],
  ["bytes are missing", send(bytesOf(first?.number).subarray(0, -1)), "part_length_differs"],
  ["nothing comes", send(Buffer.alloc(0)), "part_length_differs"],
  [
    "a byte is too many",
    send(Buffer.concat([bytesOf(first?.number), Buffer.from("x")])),
    "part_length_differs",
  ],
  ["it is another part", on(redeem, (_, response) => !!response.end(bytesOf(second?.number))), "part_"],
  [
    "it does not end",
    on(redeem, (_, response) => {
      const chunk = Buffer.alloc(1 << 16);
      const more = () => void response.write(chunk, (error) => error ?? more());
      more();
      return true;
    }),
    "part_length_differs",
  ],
  [
    "it comes in a content encoding",
    send(gzipSync(bytesOf(first?.number)), { "content-encoding": "gzip" }),
    "part_encoded",
  ],
  [
    "it is a piece",
    on(redeem, (_, response) => !!response.writeHead(206).end(bytesOf(first?.number))),
    "request_refused",
  ],
  ["it is no content", on(redeem, (_, response) => !!response.writeHead(204).end()), "request_refused"],
  [
    "the token is not taken",
    on(redeem, (_, response) => json(response, 401, { error: "invalid_token" })),
    "unauthorized",
  ],
];

describe("a part is refused of which", () => {
  test.each(transfers)("%s", async (_, trick, code) => {
    const { error, files, loaded } = await tryTrick(trick);
    expect(error).toMatchObject({ code: expect.stringContaining(code) as string });
    expect(files.filter((file) => !file.endsWith(".json"))).toEqual([]);
    expect(loaded).toBe(false);
    expect(server.requests.some(({ url }) => url.endsWith("/acknowledge"))).toBe(false);
  });
});

const other = generateKeyPairSync("ed25519");
const otherKey = { kid: "example", privateKey: other.privateKey };
const foreign = await makeDelivery({ id: "0198f3a2-0000-7000-8000-000000000000" });
const meta = (change: object) =>
  on(manifest, (_, response) => sendManifest(response, delivery, { meta: change }));
const resealed = async (options: DeliveryOptions) => {
  const made = await makeDelivery(options);
  const signature = await signManifest(made.bytes, otherKey);
  return on(manifest, (_, response) => sendManifest(response, made, { meta: { signature } }));
};

const manifests: readonly (readonly [string, Trick, string])[] = [
  ["another hash", meta({ manifest_sha256: sha256Of("other") }), "manifest_hash_differs"],
  ["its hash in capitals", meta({ manifest_sha256: delivery.sha256.toUpperCase() }), "manifest_hash_differs"],
  ["no hash", meta({ manifest_sha256: undefined }), "answer_malformed"],
  [
    "another text",
    on(manifest, (_, response) =>
      sendManifest(response, delivery, { data: (text) => text.replace('"rowCount":250', '"rowCount":251') }),
    ),
    "manifest_hash_differs",
  ],
  ["no signature", meta({ signature: undefined }), "signature_missing"],
  ["no signature but null", meta({ signature: null }), "signature_missing"],
  ["a signature of another manifest", meta({ signature: foreign.signature }), "signature_invalid"],
  ["a signature of another key", await resealed({}), "signature_invalid"],
  [
    "the manifest of another delivery",
    on(manifest, (_, response) => sendManifest(response, foreign)),
    "manifest_foreign",
  ],
  [
    "a number that is no integer",
    on(manifest, (_, response) =>
      sendManifest(response, delivery, {
        data: (text) => text.replace('"rowCount":250', '"rowCount":250.5'),
      }),
    ),
    "canonical_number",
  ],
  [
    "more than can be held",
    on(manifest, (_, response) => {
      const chunk = Buffer.alloc(1 << 20, " ");
      const more = () => void response.write(chunk, (error) => error ?? more());
      more();
      return true;
    }),
    "answer_too_long",
  ],
  [
    "30 MB of empty lists",
    on(manifest, (_, response) => !!response.end(`{"data":[${"[],".repeat(10_000_000)}0],"meta":{}}`)),
    "answer_too_long",
  ],
  [
    "a secret key in the key set",
    on(/jwks/, (_, response) => json(response, 200, { keys: [other.privateKey.export({ format: "jwk" })] })),
    "key_set_private_key",
  ],
  [
    "no key in the key set",
    on(/jwks/, (_, response) => json(response, 200, { keys: [] })),
    "signature_unknown_key",
  ],
];

describe("a manifest is refused that comes with", () => {
  test.each(manifests)("%s", async (_, trick, code) => {
    const { error, files } = await tryTrick(trick);
    expect(error).toMatchObject({ code });
    expect(files).toEqual([]);
  });
});

test("a member told twice is read as it was signed, or not at all", async () => {
  const twice = (text: string) => text.replace('"sequence":0', '"sequence":5,"sequence":0');
  const last = await tryTrick(
    on(manifest, (_, response) => sendManifest(response, delivery, { data: twice })),
  );
  expect(last.error).toBeUndefined();
  await server.close();
  const reversed = (text: string) => text.replace('"sequence":0', '"sequence":0,"sequence":5');
  const first = await tryTrick(
    on(manifest, (_, response) => sendManifest(response, delivery, { data: reversed })),
  );
  expect(first.error).toMatchObject({ code: "manifest_hash_differs" });
});

test("a delivery cannot have another manifest after an interruption", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  const connection = connect({ url: server.url, apiKey, retryPolicy: { tries: 1, pause: 1 } });
  const target = await openTarget(folder);
  const options = { target, staging: "", trust: jwks, reference: null } as const;
  server.trick = on(redeem, (_, response) => json(response, 500, {}));
  await expect(pull(connection, id, options)).rejects.toMatchObject({ code: "request_refused" });
  const another = await makeDelivery({ datasets: { listing: listings(10) } });
  server.deliveries.set(id, another);
  server.trick = () => false;
  await expect(pull(connection, id, options)).rejects.toMatchObject({
    code: "manifest_changed",
    exitCode: 5,
  });
});

const text = (change: (plain: string) => string) => ({
  rowsPerPart: 1000,
  spoil: (plain: Buffer) => Buffer.from(change(plain.toString())),
});
const lastLine = /[^\n]*\n$/;
const count = (made: DeliveryOptions): DeliveryOptions => ({
  ...made,
  edit: (sealed) => ({
    ...sealed,
    parts: sealed.parts.map((part) => ({
      ...part,
      uncompressedByteLength: 1000,
      uncompressedSha256: sha256Of("x"),
    })),
  }),
});

/** Signed by the server, and yet not what a part is. */
const contents: readonly (readonly [string, DeliveryOptions, string])[] = [
  ["a record is missing", text((plain) => plain.replace(lastLine, "")), "part_count_differs"],
  ["a record is too many", text((plain) => plain + (lastLine.exec(plain)?.[0] ?? "")), "part_count_differs"],
  ["the last line does not end", text((plain) => plain.slice(0, -1)), "part_malformed"],
  ["a line is no JSON", text((plain) => plain.replace(lastLine, "{\n")), "part_malformed"],
  ["a line is a list", text((plain) => plain.replace(lastLine, "[]\n")), "part_malformed"],
  ["a record has no key", text((plain) => plain.replace(lastLine, '{"City":"Austin"}\n')), "part_malformed"],
  [
    "a record has null for a key",
    text((plain) => plain.replace(lastLine, '{"ListingKey":null}\n')),
    "part_malformed",
  ],
  [
    "the text is no UTF-8",
    { rowsPerPart: 1000, spoil: (plain) => Buffer.concat([plain, Buffer.from([0xff, 10])]) },
    "part_malformed",
  ],
  [
    "a column is named by SQL",
    text((plain) => plain.replace(lastLine, '{"ListingKey":"x","a\\") ; drop table listing; --":1}\n')),
    "column_name",
  ],
  ["it is not what it is packed as", { spoilPacked: () => Buffer.from("no gzip") }, "part_content_differs"],
  ["it is packed by halves", { spoilPacked: (packed) => packed.subarray(0, -20) }, "part_content_differs"],
  ["it unpacks to more than is told", count({ rowsPerPart: 1000 }), "part_content_differs"],
];

describe("a delivery is refused in a part of which", () => {
  test.each(contents)("%s", async (_, made, code) => {
    const { error, loaded } = await tryTrick(() => false, await makeDelivery(made));
    expect(error).toMatchObject({ code });
    expect(loaded).toBe(false);
    expect(server.requests.some(({ url }) => url.endsWith("/acknowledge"))).toBe(false);
  });
});

test("what a server says in an error is shown only where it is a code", async () => {
  const words = `\u001b]0;${token}\u0007`;
  const { error } = await tryTrick(on(manifest, (_, response) => json(response, 403, { error: words })));
  expect(String(error)).not.toContain("\u001b");
  await server.close();
  const coded = await tryTrick(
    on(manifest, (_, response) => json(response, 403, { error: "entitlement_changed" })),
  );
  expect(String(coded.error)).toContain("`entitlement_changed`");
});

test("the program shows neither key nor token, and keeps neither", async () => {
  server = await startServer(delivery);
  const folder = emptyFolder();
  let tries = 0;
  server.trick = (request, response) => {
    if (!redeem.test(request.url) || tries++ > 2) return false;
    if (tries === 1) return json(response, 401, { error: request.headers.authorization });
    if (tries === 2) return !!response.end("short");
    return json(response, 503, { error: request.headers["x-api-key"] }, { "retry-after": "0" });
  };
  const { code, stdout, stderr } = await run([
    "pull",
    id,
    "--url",
    server.url,
    "--into",
    join(folder, "data"),
    "--json",
  ]);
  expect(stderr).toContain("again in");
  expect(code).toBe(0);
  const left = stdout + stderr + textIn(folder);
  expect(server.tokens.size).toBe(parts.length + 3);
  for (const secret of [...server.tokens, apiKey, "ldsg_"]) expect(left).not.toContain(secret);
});
