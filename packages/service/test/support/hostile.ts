import fc from "fast-check";
import { expect } from "vitest";
import type { Reply } from "./ask.ts";

/*
 * Malformed and hostile requests, and checks that every answer to them must pass.
 */

/** `CASES=10000` runs more cases, `SEED=1` repeats the same ones. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 75);

/** Parameters of `fc.assert`, and the timeout for them. */
export const parameters = { numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };
export const timeout = 30_000 + numRuns * 50;

export const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);

const pieces = pick(
  ..."ListPrice City Appliances Coordinates CloseDate Nope eq ne gt in not and or has any all".split(" "),
  ..."( ) , ; ' '' \" / $ @ * - + . : % & = # ? \\ \u0000 \n null true 1 1.5e400 -0 9999999999999999999999".split(
    " ",
  ),
  "'O''Fallon'",
  "2024-02-30",
  "2024-01-01T00:00:00Z",
  "geography'SRID=4326;Point(1 2)'",
  "duration'P1D'",
  "contains(City,'%')",
  "substring(City,-1)",
  "cast(City,Edm.Int32)",
  "City/any(x:x eq 'a')",
  "Appliances/all(x:x ne null)",
  "div 0",
  "mod 0",
  "😀",
  "\ud800",
);

/** Names of query options, including an unknown one and one without its `$`. */
export const options = pick(
  ..."$filter $select $orderby $top $skip $skiptoken $count $ignorenulls $ignorecase $format $expand $nope placekey filter".split(
    " ",
  ),
);

/** Pieces of the query language and other texts, joined with spaces. */
export const raw = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 14 })
  .map((list) => list.join(" "));

/** Text encoded as a client would do it, or with bytes that no client should send. */
export const text = fc.oneof(
  { weight: 4, arbitrary: raw.map((value) => encodeURIComponent(Buffer.from(value).toString())) },
  { weight: 1, arbitrary: raw.map((value) => value.replace(/[^!-~]/g, "%")) },
  {
    weight: 1,
    arbitrary: pick(
      "%",
      "%zz",
      "%E0%A4",
      "%00",
      "%c0%80",
      "%ED%A0%80",
      "+%2B+",
      "%25",
      "'%0d%0aSet-Cookie:x",
    ),
  },
);

const path = fc.oneof(
  {
    weight: 4,
    arbitrary: pick(
      "/Property",
      "/Property('x')",
      "/Property/",
      "/Property/x",
      "/Property/$count",
      "/Property('x')/City",
      "/Property('x')/City/$value",
      "/Property('x')/Appliances/$count",
      "",
      "/",
      "/$metadata",
      "/$batch",
      "/$crossjoin(A,B)",
    ),
  },
  { weight: 1, arbitrary: text.map((segment) => `/${segment}`) },
  { weight: 1, arbitrary: text.map((key) => `/Property(${key})`) },
  { weight: 1, arbitrary: text.map((key) => `/Property/${key}/City/$value`) },
);

/** A request target with a query. */
export const target = fc
  .tuple(path, fc.array(fc.tuple(options, text), { maxLength: 4 }))
  .map(([start, list]) => `/reso/odata${start}?${list.map(([name, value]) => `${name}=${value}`).join("&")}`);

/** Headers that influence an answer, with valid and invalid values. HTTP allows only printable ASCII in them. */
export const headers = fc.record(
  Object.fromEntries(
    ["accept", "prefer", "if-match", "if-none-match", "forwarded"].map((name) => [
      name,
      fc.oneof(
        raw.map((value) => value.replace(/[^ -~]/g, "?")),
        pick(
          "*/*",
          "application/json;odata.metadata=full",
          "text/plain;q=x",
          "maxpagesize=0",
          'omit-values="',
          "W/",
        ),
      ),
    ]),
  ),
  { requiredKeys: [] },
);

/** Matches internal texts that only a database, a stack trace or the file system would contain. */
export const inside = /SQLITE|sqlite|SqliteError|node_modules|\bat .*\.ts:|no such column|near "/;

/** Checks that a request did not fail with an internal error, and that an error response is short and contains nothing internal. */
export function requireHarmless({ status, text: body }: Pick<Reply, "status" | "text">, what: string): void {
  expect(status < 500 || status === 501, `${what} gave ${status}`).toBe(true);
  if (status < 400) return;
  expect(body).not.toMatch(inside);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1024);
}
