import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "./support/ask.ts";
import {
  headers,
  inside,
  options,
  parameters,
  pick,
  raw,
  requireHarmless,
  target,
  text,
  timeout,
} from "./support/hostile.ts";
import { type Running, run } from "./support/running.ts";

let running: Running;

beforeAll(async () => {
  // A batch may be answered as often as it likes: what is tested is no limit.
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_REQUESTS_PER_SECOND: "1000000" });
});
afterAll(() => running.stop());

const customer = pick("national", "state", "coarse");

const post = (address: string, name: string, more: Readonly<Record<string, string>>, body: Body) =>
  ask(running.service.baseUrl, address, { ...more, "x-api-key": running.key(name) }, "POST", body);

type Body = string | Uint8Array;

/** A body, or a part of it, or with bytes that are no text. */
const damaged = (body: fc.Arbitrary<string>): fc.Arbitrary<Body> =>
  fc.oneof(
    { weight: 8, arbitrary: body },
    { weight: 1, arbitrary: fc.tuple(body, fc.nat(400)).map(([whole, length]) => whole.slice(0, length)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(body, fc.uint8Array({ maxLength: 6 }))
        .map(([whole, bytes]) => Buffer.concat([Buffer.from(whole), bytes])),
    },
  );

const queryAddress = pick(
  ..."/Property /Property/ /Property/$count /Property('x') /Property('x')/City /Nope /$metadata /$batch"
    .split(" ")
    .concat("")
    .map((path) => `/reso/odata${path}/$query`),
  "/reso/odata/Property/%24query?$top=1",
  "/reso/odata/Property/$query/$query",
);

const queryType = pick(
  "text/plain",
  "text/plain;charset=utf-8",
  "text/plain;charset=latin1",
  "application/x-www-form-urlencoded",
  "application/json",
  "text/plain;charset=",
  ";",
);

const queryBody = fc
  .array(fc.tuple(options, fc.oneof(text, raw)), { maxLength: 5 })
  .map((list) => list.map(([name, value]) => `${name}=${value}`).join("&"));

test("no posted query gets a 500, database text or a long error", { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(
      queryAddress,
      queryType,
      damaged(queryBody),
      headers,
      customer,
      async (address, type, body, more, name) => {
        const reply = await post(address, name, { ...more, "content-type": type }, body);
        requireHarmless(reply, `${address} with ${JSON.stringify(String(body))}`);
      },
    ),
    parameters,
  );
});

const method = pick(..."GET GET GET get HEAD POST OPTIONS DELETE PATCH TRACE".split(" "), "", "G T", "\r\n");

const url = fc.oneof(
  { weight: 4, arbitrary: target },
  { weight: 2, arbitrary: target.map((address) => address.replace("/reso/odata/", "")) },
  pick(
    "Property/$query",
    "$batch",
    "/reso/odata/$batch",
    "$1",
    "$1/City",
    "http://elsewhere.example/reso/odata/Property",
    "//elsewhere.example/",
    "../../health/live",
    "/v1/../reso/odata/Property",
    "file:///etc/passwd",
    "http://[",
    "",
  ),
  raw,
);

/** A name or a value of any kind, in place of the one that is meant. */
const odd = <T>(meant: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: meant }, fc.jsonValue({ maxDepth: 1 }));

const headerNames = pick(
  "accept",
  "prefer",
  "if-none-match",
  "x-api-key",
  "content-type",
  "__proto__",
  "a b",
);

const jsonRequest = fc.record(
  {
    id: odd(fc.oneof(fc.nat(20).map(String), pick("", "x".repeat(200), "__proto__", "$1"))),
    method: odd(method),
    url: odd(url),
    headers: odd(fc.dictionary(headerNames, raw, { maxKeys: 3 })),
    body: odd(queryBody),
    dependsOn: odd(fc.array(fc.nat(20).map(String), { maxLength: 2 })),
    atomicityGroup: odd(fc.constant("group")),
    if: odd(pick("$1/City eq 'x'", "(")),
    other: fc.constant(1),
  },
  { requiredKeys: ["id", "method", "url"] },
);

const likely = fc
  .array(
    fc.record(
      { method: pick("GET", "GET", "POST"), url, headers: fc.dictionary(headerNames, raw, { maxKeys: 2 }) },
      { requiredKeys: ["method", "url"] },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => list.map((request, i) => ({ id: String(i), ...request })));

const jsonBody = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .oneof(likely, odd(fc.array(jsonRequest, { maxLength: 4 })))
      .map((list) => JSON.stringify({ requests: list })),
  },
  { weight: 1, arbitrary: fc.json() },
  pick("[".repeat(100_000), `{"requests":${"[".repeat(50_000)}`, '{"requests":[],"requests":1}', "null", ""),
);

type Responses = {
  readonly responses: readonly { readonly status: number; readonly body?: unknown }[];
};

test("no batch in JSON gets a 500, database text or a long error", { timeout }, async () => {
  await fc.assert(
    fc.asyncProperty(damaged(jsonBody), headers, customer, async (body, more, name) => {
      const type = { "content-type": "application/json" };
      const reply = await post("/reso/odata/$batch", name, { ...more, ...type }, body);
      const sent = JSON.stringify(String(body)).slice(0, 2000);
      requireHarmless(reply, sent);
      if (reply.status !== 200) return;
      for (const { status, body: told } of (JSON.parse(reply.text) as Responses).responses)
        requireHarmless({ status, text: JSON.stringify(told ?? "") }, sent);
    }),
    parameters,
  );
});

const lineEnd = pick("\r\n", "\r\n", "\r\n", "\n", "\r");
const partHead = fc.oneof(
  { weight: 6, arbitrary: fc.constant("Content-Type: application/http") },
  pick("Content-Type: multipart/mixed;boundary=c", "content-type:", "Content-ID: 1", "no header", "", ": x"),
  raw,
);
const oddPart = fc
  .tuple(partHead, method, url, pick("HTTP/1.1", "HTTP/1.1", "HTTP/9", ""), partHead, queryBody, lineEnd)
  .map(([head, verb, address, version, more, content, end]) =>
    [head, "", `${verb} ${address} ${version}`, more, "", content].join(end),
  );
const plainPart = fc
  .tuple(pick("GET", "POST"), target, pick("", "/$query"), queryBody)
  .map(([verb, address, query, content]) =>
    [
      "Content-Type: application/http",
      "",
      `${verb} ${address.replace("?", `${query}?`)} HTTP/1.1`,
      "content-type: text/plain",
      "",
      content,
    ].join("\r\n"),
  );
const multipartBody = fc.oneof(
  fc
    .array(plainPart, { minLength: 1, maxLength: 4 })
    .map((parts) => [...parts.flatMap((one) => ["--b", one]), "--b--"].join("\r\n")),
  fc
    .tuple(
      fc.array(oddPart, { maxLength: 4 }),
      pick("--b", "--b", "--b", "--c", "b"),
      pick("--", "--", ""),
      lineEnd,
    )
    .map(([parts, delimiter, close, end]) =>
      [...parts.flatMap((one) => [delimiter, one]), `${delimiter}${close}`].join(end),
    ),
);
const multipartType = pick(
  "multipart/mixed;boundary=b",
  "multipart/mixed;boundary=b",
  'multipart/mixed; boundary="b"',
  "multipart/mixed;boundary=.*",
  "multipart/mixed;boundary=",
  "multipart/mixed",
  `multipart/mixed;boundary=${"b".repeat(200)}`,
);

test("no batch of parts gets a 500, database text or a long error", { timeout }, async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      damaged(multipartBody),
      multipartType,
      headers,
      customer,
      async (body, type, more, name) => {
        const reply = await post("/reso/odata/$batch", name, { ...more, "content-type": type }, body);
        requireHarmless(reply, JSON.stringify(String(body)));
        if (reply.status !== 200) return;
        for (const [, status, content = ""] of reply.text.matchAll(
          /^HTTP\/1\.1 (\d{3}) .*?\r\n\r\n(.*?)(?=\r\n--batchresponse)/gms,
        )) {
          answered++;
          requireHarmless({ status: Number(status), text: content }, String(body));
        }
        expect(reply.text).not.toMatch(inside);
      },
    ),
    parameters,
  );
  // The parts are not all refused at the first line.
  expect(answered).toBeGreaterThan(parameters.numRuns / 20);
});
