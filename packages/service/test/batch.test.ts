import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, type Collection, type Headers, toCollection, toError } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;
let base: string;
let listingKey: string;
const address = "/reso/odata/$batch";

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "300", CADASTRE_BATCH_REQUESTS: "20" });
  base = running.service.baseUrl;
  listingKey = running.service.examples?.listingKey ?? "";
});
afterAll(() => running.stop());

const key = (name = "national") => ({ "x-api-key": running.key(name) });
const get = (target: string, headers: Headers = {}) => ask(base, target, { ...key(), ...headers });

type JsonReply = {
  readonly id: string;
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
};

const sendJson = (requests: unknown, headers: Headers = {}, name?: string) =>
  ask(
    base,
    address,
    { ...key(name), "content-type": "application/json", ...headers },
    "POST",
    JSON.stringify({ requests }),
  );

async function askJson(
  requests: readonly object[],
  headers: Headers = { prefer: "continue-on-error" },
): Promise<readonly JsonReply[]> {
  const numbered = requests.map((request, i) => ({ id: String(i), method: "GET", ...request }));
  const reply = await sendJson(numbered, headers);
  expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json"]);
  return (JSON.parse(reply.text) as { responses: readonly JsonReply[] }).responses;
}

const pageOf = (reply: JsonReply | undefined): Collection => reply?.body as Collection;

describe("in JSON", () => {
  test("each request is answered as it is alone, with its id, status, headers and body", async () => {
    const target = "Property?$top=2&$select=ListingKey&$count=true";
    const [rows, one, count, metadata, root] = await askJson([
      { url: target },
      { url: `Property('${listingKey}')` },
      { url: "Property/$count" },
      { url: "$metadata" },
      { url: "" },
    ]);
    const alone = await get(`/reso/odata/${target}`);
    const headers = { "odata-version": "4.0", "content-type": alone.headers["content-type"] };
    expect(rows).toMatchObject({ id: "0", status: 200, headers });
    // Each answer has a skip token of its own.
    const { "@odata.nextLink": _, ...page } = toCollection(alone);
    expect(rows?.body).toMatchObject(page);
    const entity = await get(`/reso/odata/Property('${listingKey}')`);
    expect([one?.status, one?.headers["etag"]]).toEqual([200, entity.headers["etag"]]);
    expect(one?.body).toEqual(JSON.parse(entity.text));
    expect([count?.status, count?.body]).toEqual([200, "300"]);
    const xml = Buffer.from(String(metadata?.body), "base64url").toString();
    expect(xml).toBe((await get("/reso/odata/$metadata")).text);
    expect(root?.body).toEqual(JSON.parse((await get("/reso/odata")).text));
  });

  test.each<[string, (base: string) => string]>([
    ["relative", () => "Property?$top=1"],
    ["from the host's root", () => "/reso/odata/Property?$top=1"],
    ["absolute", (origin) => `${origin}/reso/odata/Property?$top=1`],
    ["with letters that no address has", () => 'Property?$top=1&$filter=City ne "x"'.replaceAll('"', "'")],
  ])("an address may be %s", async (_, url) => {
    const [reply] = await askJson([{ url: url(base) }]);
    expect([reply?.status, pageOf(reply).value.length]).toEqual([200, 1]);
  });

  test.each(["http://elsewhere.example/reso/odata/Property", "/health/live", "/reso/odataX", "//x"])(
    "%s is none of this service",
    async (url) => {
      expect((await askJson([{ url }]))[0]).toMatchObject({
        status: 404,
        body: { error: { code: "not_found" } },
      });
    },
  );

  test("errors stay inside, in OData's form, with their place", async () => {
    const replies = await askJson([
      { url: "Property?$filter=ListPric gt 3" },
      { url: "Property('x')" },
      { url: "Property", method: "POST", body: { ListPrice: 1 } },
      { url: "Property", method: "GET", atomicityGroup: "a" },
      { url: "$batch", method: "POST" },
      { url: "Property", headers: { "OData-MaxVersion": "3.0" } },
      { url: `Property?$filter=${"x".repeat(66_000)}` },
      { url: "Property?$filter=%E0" },
      { url: "\ud800" },
      { url: "Property/$query", method: "POST", headers: { "content-type": "application/json" } },
      { url: "Property?$top=1" },
    ]);
    expect(replies.map(({ status }) => status)).toEqual([
      400, 404, 405, 501, 501, 400, 414, 400, 400, 415, 200,
    ]);
    const [unknown, , write] = replies;
    expect(unknown?.body).toMatchObject({
      error: { code: "unknown_property", details: [{ message: "position 0 to 8" }, { code: "excerpt" }] },
    });
    expect(write?.headers["allow"]).toBe("GET, HEAD, OPTIONS");
  });

  test("the first error is the last answer, unless the client prefers to go on", async () => {
    const requests = [{ url: "Property?$top=0" }, { url: "Nope" }, { url: "Property?$top=0" }];
    expect((await askJson(requests, {})).map(({ status }) => status)).toEqual([200, 404]);
    const stop = { prefer: "continue-on-error=false" };
    expect((await askJson(requests, stop)).length).toBe(2);
    const reply = await sendJson(
      requests.map((item, i) => ({ id: String(i), method: "GET", ...item })),
      { prefer: "respond-async, odata.continue-on-error" },
    );
    expect(reply.headers["preference-applied"]).toBe("odata.continue-on-error");
    expect((JSON.parse(reply.text) as { responses: unknown[] }).responses.length).toBe(3);
  });

  test("what depends on a request that has failed is not answered", async () => {
    const replies = await askJson([
      { id: "a", url: "Nope" },
      { id: "b", url: "Property?$top=0", dependsOn: ["a"] },
      { id: "c", url: "Property?$top=0", dependsOn: ["b"] },
      { id: "d", url: "Property?$top=0" },
      { id: "e", url: "Property?$top=0", dependsOn: ["d"] },
    ]);
    expect(replies.map(({ id, status }) => [id, status])).toEqual([
      ["a", 404],
      ["b", 424],
      ["c", 424],
      ["d", 200],
      ["e", 200],
    ]);
  });

  test("headers of a request are its own, and so are those of its answer", async () => {
    const { headers } = await get(`/reso/odata/Property('${listingKey}')`);
    const [page, known, newer] = await askJson([
      { url: "Property", headers: { Prefer: "maxpagesize=3" } },
      { url: `Property('${listingKey}')`, headers: { "If-None-Match": String(headers["etag"]) } },
      {
        url: "Property?$top=0",
        headers: { "odata-maxversion": "4.01", accept: "application/json;metadata=none" },
      },
    ]);
    expect(page?.headers["preference-applied"]).toBe("maxpagesize=3");
    expect(pageOf(page).value.length).toBe(3);
    expect([known?.status, known?.body]).toEqual([304, undefined]);
    expect([newer?.headers["odata-version"], newer?.body]).toEqual(["4.01", { value: [] }]);
  });

  test("a query in a body is answered too, and its next link can be fetched", async () => {
    const [reply] = await askJson([
      {
        method: "POST",
        url: "Property/$query",
        headers: { "content-type": "text/plain" },
        body: "$filter=City ne 'é'&$top=2&$select=ListingKey",
      },
    ]);
    const { value, "@odata.nextLink": next = "" } = pageOf(reply);
    expect(value.length).toBe(2);
    expect((await get(next.slice(base.length))).status).toBe(200);
  });

  test("the caller sees what it sees alone", async () => {
    const reply = await sendJson([{ id: "1", method: "GET", url: "Property/$count" }], {}, "market");
    const alone = await ask(base, "/reso/odata/Property/$count", key("market"));
    expect((JSON.parse(reply.text) as { responses: JsonReply[] }).responses[0]?.body).toBe(alone.text);
    expect(alone.text).not.toBe("300");
    expect((await ask(base, address, { "content-type": "application/json" }, "POST", "{}")).status).toBe(401);
  });

  test.each<[unknown, string | undefined]>([
    [undefined, "requests"],
    [[{ method: "GET", url: "Property" }], "requests[0].id"],
    [[{ id: 1, method: "GET", url: "Property" }], "requests[0].id"],
    [[{ id: "1", method: "GET" }], "requests[0].url"],
    [
      [
        { id: "1", method: "GET", url: "" },
        { id: "1", method: "GET", url: "" },
      ],
      "requests[1].id",
    ],
    [[{ id: "1", method: "GET", url: "", dependsOn: ["2"] }], "requests[0].dependsOn"],
  ])("%j is refused whole", async (requests, target) => {
    const reply = await sendJson(requests);
    expect([reply.status, toError(reply).code, toError(reply).target]).toEqual([
      400,
      "invalid_batch",
      target,
    ]);
  });

  test("more requests than are taken, or a longer body, are refused whole", async () => {
    const many = Array.from({ length: 21 }, (_, i) => ({ id: String(i), method: "GET", url: "" }));
    expect((await sendJson(many)).status).toBe(413);
    expect((await sendJson(many.slice(1))).status).toBe(200);
    const long = await sendJson([{ id: "1", method: "GET", url: "", body: "x".repeat(1_100_000) }]).catch(
      () => null,
    );
    if (long !== null) expect([long.status, long.headers["connection"]]).toEqual([413, "close"]);
  });
});

const crlf = (...lines: readonly string[]): string => lines.join("\r\n");

const sendMultipart = (body: string, headers: Headers = {}, boundary = "b_1.2") =>
  ask(
    base,
    address,
    {
      ...key(),
      "content-type": `multipart/mixed;boundary=${boundary}`,
      "OData-MaxVersion": "4.0",
      ...headers,
    },
    "POST",
    body,
  );

/** The messages of an answer, read byte by byte: a part that says a wrong length cannot be read. */
function partsOf({ headers, text }: Awaited<ReturnType<typeof ask>>): readonly {
  readonly head: string;
  readonly status: number;
  readonly body: string;
}[] {
  const boundary = /^multipart\/mixed;boundary=(.+)$/.exec(String(headers["content-type"]))?.[1] ?? "";
  const parts = [];
  let rest = text;
  while (rest.startsWith(`--${boundary}\r\n`)) {
    const [head = "", status = ""] = /^.*?\r\n\r\nHTTP\/1\.1 (\d+).*?\r\n\r\n/s.exec(rest) ?? [];
    const length = Number(/^content-length: (\d+)\r$/m.exec(head)?.[1]);
    const body = Buffer.from(rest.slice(head.length)).subarray(0, length).toString();
    parts.push({ head, status: Number(status), body });
    rest = rest.slice(head.length + body.length);
    expect(rest.startsWith("\r\n--")).toBe(true);
    rest = rest.slice(2);
  }
  expect(rest).toBe(`--${boundary}--\r\n`);
  return parts;
}

describe("as multipart/mixed", () => {
  const part = (target: string, ...headers: readonly string[]) =>
    crlf(
      "--b_1.2",
      "Content-Type:application/http",
      "Content-Transfer-Encoding:binary",
      "",
      `GET ${target} HTTP/1.1`,
      ...headers,
      "",
      "",
      "",
    );

  test("what OpenUI5 sends is answered part by part", async () => {
    const accept = "Accept:application/json;odata.metadata=minimal;IEEE754Compatible=true";
    const body = [
      part(
        "Property?$count=true&$select=ListingKey,City&$skip=0&$top=2",
        accept,
        "Accept-Language:en",
        "X-CSRF-Token:Fetch",
      ),
      part("Property/$count", accept),
      part(`${base}/reso/odata/Property('${listingKey}')?$select=City`, accept),
      "--b_1.2--\r\nEpilogue:Group ID: $auto",
    ].join("");
    const reply = await sendMultipart(body, { "x-csrf-token": "Fetch", accept: "multipart/mixed" });
    expect([reply.status, reply.headers["odata-version"]]).toEqual([200, "4.0"]);
    const [rows, count, one, ...more] = partsOf(reply);
    expect(more).toEqual([]);
    expect(rows?.head).toContain(
      "Content-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n",
    );
    expect(rows?.head).toContain("\r\nodata-version: 4.0\r\n");
    const read = JSON.parse(rows?.body ?? "") as Collection;
    expect([read["@odata.count"], read.value.length]).toEqual(["300", 2]);
    expect(count).toMatchObject({ status: 200, body: "300" });
    expect(Object.keys(JSON.parse(one?.body ?? "") as object)).toEqual(["@odata.context", "City"]);
  });

  test("lines of a line feed alone, a preamble, a quoted boundary and a Content-ID are taken", async () => {
    const body = `preamble
--b 
content-type: application/http; msgtype=request
Content-ID: seven

GET /reso/odata/Property?$top=0 HTTP/1.1
host: elsewhere.example

--b--
`;
    const [only] = partsOf(await sendMultipart(body, {}, '"b"'));
    expect(only?.status).toBe(200);
    expect(only?.head).toContain("\r\nContent-ID: seven\r\n");
  });

  test("an answer without a body is a part of no bytes", async () => {
    const head = part("Property?$top=1").replace("GET", "HEAD");
    const replies = partsOf(await sendMultipart(`${head}${part("Property?$top=0")}--b_1.2--`));
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(replies[0]?.body).toBe("");
  });

  test("a change set is answered as one request, which is not offered", async () => {
    const changes = crlf(
      "--b_1.2",
      "Content-Type: multipart/mixed;boundary=c",
      "",
      "--c",
      "Content-Type: application/http",
      "Content-ID: 1",
      "",
      "PATCH Property('x') HTTP/1.1",
      "",
      "{}",
      "--c--",
      "",
    );
    const reply = await sendMultipart(`${changes}${part("Property?$top=0")}--b_1.2--`, {
      prefer: "odata.continue-on-error",
    });
    expect(partsOf(reply).map(({ status }) => status)).toEqual([501, 200]);
  });

  test("a write outside a change set is refused inside, and ends the batch", async () => {
    const write = part("Property", "x: y").replace("GET", "POST");
    const [only, ...more] = partsOf(await sendMultipart(`${write}${part("Property")}--b_1.2--`));
    expect([only?.status, more]).toEqual([405, []]);
    expect(only?.head).toContain("\r\nallow: GET, HEAD, OPTIONS\r\n");
  });

  test.each<[string, string]>([
    ["no end", part("Property")],
    ["no part", "--b_1.2\r\n"],
    ["another boundary", "--other--"],
    ["a part of another type", "--b_1.2\r\nContent-Type: text/plain\r\n\r\nGET x HTTP/1.1\r\n\r\n--b_1.2--"],
    ["no request line", "--b_1.2\r\nContent-Type: application/http\r\n\r\nProperty\r\n\r\n--b_1.2--"],
    ["a header that is none", `${part("Property", "no header")}--b_1.2--`],
    [
      "an id that would add a header",
      `${part("Property").replace("binary", "binary\r\nContent-ID: a\tb")}--b_1.2--`,
    ],
  ])("%s is refused whole", async (_, body) => {
    const reply = await sendMultipart(body);
    expect([reply.status, toError(reply).code]).toEqual([400, "invalid_batch"]);
  });

  test("what would take a careless reader long is refused at once", async () => {
    const hostile = [
      [`--b_1.2\r\nContent-Type: application/http\r\nx:${" ".repeat(500_000)}y\r\n\r\nGET x HTTP/1.1`, 400],
      ["\r\n".repeat(400_000), 400],
      ["--b_1.2 ".repeat(100_000), 400],
      // Parts are counted as they are found.
      ["\r\n--b_1.2\r\n".repeat(80_000), 413],
    ] as const;
    const started = performance.now();
    for (const [body, status] of hostile) expect((await sendMultipart(body)).status).toBe(status);
    expect(performance.now() - started).toBeLessThan(4000);
  });
});

test.each<[string, Headers]>([
  ["no type", {}],
  ["another type", { "content-type": "text/plain" }],
  ["a compressed body", { "content-type": "application/json", "content-encoding": "gzip" }],
])("%s is refused with 415", async (_, headers) => {
  const reply = await ask(base, address, { ...key(), ...headers }, "POST", "{}");
  expect([reply.status, toError(reply).code]).toEqual([415, "unsupported_media_type"]);
});

test.each(["GET", "HEAD", "PUT", "DELETE"])("%s is refused, and Allow says what is taken", async (method) => {
  const reply = await ask(base, address, key(), method);
  expect([reply.status, reply.headers["allow"]]).toEqual([405, "POST, OPTIONS"]);
});

test("a client that leaves in the middle leaves the service as it was", async () => {
  const { hostname, port } = new URL(base);
  const requests = Array.from({ length: 20 }, (_, i) => ({ id: String(i), method: "GET", url: "Property" }));
  const headers = { ...key(), "content-type": "application/json" };
  await new Promise<void>((resolve) => {
    const sent = request({ hostname, port, path: address, method: "POST", headers, agent: false }, (res) => {
      res.once("data", () => {
        res.destroy();
        resolve();
      });
    });
    sent.on("error", () => resolve());
    sent.end(JSON.stringify({ requests }));
  });
  expect((await askJson([{ url: "Property?$top=1" }]))[0]?.status).toBe(200);
});
