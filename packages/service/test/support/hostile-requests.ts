import { hostileQuery } from "@cadastre/odata/testing";
import fc from "fast-check";

/*
 * Requests that are built to cost more than their length suggests, or to be misinterpreted.
 */

export type HostileRequest = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);

/** Encodes all characters except visible ASCII, which is all that a request target may contain. */
const sendable = (target: string): string =>
  target.replace(/[^!-~]/gu, (character) => encodeURIComponent(character.toWellFormed()));

const paths = pick(
  ..."Property Property/$count Property('x') Property('x')/City Property('x')/City/$value Member Lookup $metadata Nope".split(
    " ",
  ),
  "",
).map((path) => `/reso/odata/${path}`);

const otherPaths = pick(
  "/v1/account/resources",
  "/v1/properties/x",
  "/v1/file-exports",
  "/v1/file-exports/x/manifest",
  "/v1/webhooks",
  "/v1/subscriptions",
  "/health/ready",
  "/openapi.json",
  "/",
  `/${"a/".repeat(5000)}`,
  `/reso/odata/${"(".repeat(9000)}`,
  `/reso/odata/Property(${"'".repeat(8001)})`,
  `/reso/odata/${"%".repeat(9000)}`,
);

const names = pick(
  ..."accept accept-encoding accept-language prefer if-match if-none-match forwarded x-forwarded-for origin range content-id te".split(
    " ",
  ),
  "odata-version",
  "odata-maxversion",
);
const pieces = pick(
  ...'application/json;odata.metadata=full * ; , = " W/ q=0.5 maxpagesize=1 return=minimal gzip for=1.1.1.1 bytes=0-1 a \\'.split(
    " ",
  ),
);
const times = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 3000 }) },
);
const value = fc
  .tuple(fc.array(fc.tuple(pieces, times), { maxLength: 4 }), pick("", ",", ";", " "))
  .map(([list, separator]) =>
    list
      .map(([piece, count]) => (piece + separator).repeat(count))
      .join("")
      .slice(0, 12_000)
      .trim(),
  );
const headers = fc.dictionary(names, value, { maxKeys: 3 });

/** Repeats or removes a part of the text in some cases. */
const damaged = (text: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 5, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc
        .tuple(text, fc.nat(100_000), fc.nat(300), fc.boolean())
        .map(([whole, at, length, twice]) => {
          const start = whole.length === 0 ? 0 : at % whole.length;
          return whole.slice(0, start + (twice ? length : 0)) + whole.slice(start + (twice ? 0 : length));
        }),
    },
  );

const targets = fc
  .tuple(paths, hostileQuery)
  .map(([path, query]) => sendable(`${path}?${query}`).slice(0, 66_000));

const jsonPiece = pick("{}", "1", '"a"', "[", "{", '"\\"', "[{}]", '{"a":1}', "null", '{"id":"1"}');
const floods = fc
  .tuple(jsonPiece, pick(",", "", ":"), fc.constantFrom(10, 1000, 100_000, 1_000_000))
  .map(([piece, separator, length]) =>
    (piece + separator).repeat(length / (piece.length + separator.length)),
  );
const item = fc
  .record(
    {
      method: pick("GET", "GET", "POST", "get", ""),
      url: targets.map((target) => target.replace("/reso/odata/", "")),
      headers: fc.dictionary(names, value, { maxKeys: 2 }),
      body: hostileQuery,
      dependsOn: fc.array(pick("0", "1"), { maxLength: 3 }),
    },
    { requiredKeys: ["method", "url"] },
  )
  .map((request) => ({ ...request, url: request.url.slice(0, 9000) }));
const jsonBatch = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .array(item, { maxLength: 5 })
      .map((list) => JSON.stringify({ requests: list.map((one, i) => ({ id: String(i), ...one })) })),
  },
  { weight: 1, arbitrary: floods.map((flood) => `{"requests":[${flood}0]}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(pick("headers", "dependsOn", "body", "other"), floods)
      .map(
        ([member, flood]) =>
          `{"requests":[{"id":"1","method":"GET","url":"Property","${member}":[${flood}0]}]}`,
      ),
  },
);

const partPieces = pick(
  "--b",
  "--b--",
  "Content-Type: application/http",
  "Content-Type: multipart/mixed;boundary=c",
  "Content-ID: 1",
  "GET Property?$top=1 HTTP/1.1",
  "POST Property/$query HTTP/1.1",
  "content-type: text/plain",
  "",
  "",
  "a:",
  " ",
  "\r",
);
const multipart = fc
  .array(
    fc.tuple(
      partPieces,
      fc.oneof(
        { weight: 12, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constantFrom(100, 20_000) },
      ),
    ),
    {
      maxLength: 24,
    },
  )
  .map((list) =>
    list
      .map(([piece, count]) => `${piece}\r\n`.repeat(count))
      .join("")
      .slice(0, 1_048_000),
  );
const goodMultipart = fc
  .array(targets, { minLength: 1, maxLength: 4 })
  .map((list) =>
    [
      ...list.flatMap((target) => [
        "--b",
        "Content-Type: application/http",
        "",
        `GET ${target} HTTP/1.1`,
        "",
        "",
      ]),
      "--b--",
    ].join("\r\n"),
  );

const v1Body = fc.oneof(
  floods.map((flood) => `{"url":"https://a.example","events":[${flood.slice(0, 15_000)}0]}`),
  floods.map(
    (flood) => `{"domain":"property","deliveryMode":"pull",${flood.slice(0, 15_000)}"idempotencyKey":"a"}`,
  ),
  fc.json(),
);

const post = (
  target: fc.Arbitrary<string>,
  type: fc.Arbitrary<string>,
  body: fc.Arbitrary<string>,
): fc.Arbitrary<HostileRequest> =>
  fc.record({
    method: fc.constant("POST"),
    target,
    headers: fc.tuple(headers, type).map(([more, contentType]) => ({ ...more, "content-type": contentType })),
    body: damaged(body),
  });

const get = (target: fc.Arbitrary<string>): fc.Arbitrary<HostileRequest> =>
  fc.record({ method: pick("GET", "GET", "GET", "HEAD", "OPTIONS"), target, headers, body: fc.constant("") });

export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.oneof(
  { weight: 8, arbitrary: get(targets) },
  {
    weight: 3,
    arbitrary: get(
      fc.tuple(otherPaths, hostileQuery).map(([path, query]) => sendable(`${path}?${query.slice(0, 2000)}`)),
    ),
  },
  {
    weight: 3,
    arbitrary: post(
      paths.map((path) => `${path}/$query`),
      pick("text/plain", "application/x-www-form-urlencoded", "text/plain;charset=x"),
      hostileQuery,
    ),
  },
  { weight: 3, arbitrary: post(pick("/reso/odata/$batch"), pick("application/json"), jsonBatch) },
  {
    weight: 3,
    arbitrary: post(
      pick("/reso/odata/$batch"),
      pick("multipart/mixed;boundary=b"),
      fc.oneof(multipart, goodMultipart),
    ),
  },
  { weight: 2, arbitrary: post(otherPaths, pick("application/json"), v1Body) },
);
