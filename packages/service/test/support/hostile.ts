import fc from "fast-check";
import { expect } from "vitest";
import type { Reply } from "./ask.ts";

/*
 * What nobody should send, and what every answer to it must be.
 */

/** `CASES=10000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 300);

/** For `fc.assert`, and the time that it may take. */
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

/** Names of options, one that is none and one without its `$`. */
export const options = pick(
  ..."$filter $select $orderby $top $skip $skiptoken $count $ignorenulls $ignorecase $format $expand $nope placekey filter".split(
    " ",
  ),
);

/** Pieces of the language and other text, one after the other. */
export const raw = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 14 })
  .map((list) => list.join(" "));

/** As a client would encode it, or with bytes that no client should send. */
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

/** An address with its query. */
export const target = fc
  .tuple(path, fc.array(fc.tuple(options, text), { maxLength: 4 }))
  .map(([start, list]) => `/reso/odata${start}?${list.map(([name, value]) => `${name}=${value}`).join("&")}`);

/** Headers that have a say in an answer, with and without sense. HTTP allows no more than printable ASCII in them. */
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

/** What only a database, a stack or the file system would say. */
export const inside = /SQLITE|sqlite|SqliteError|node_modules|\bat .*\.ts:|no such column|near "/;

/** No failure, and of an error nothing that is not for its reader. */
export function requireHarmless({ status, text: body }: Pick<Reply, "status" | "text">, what: string): void {
  expect(status < 500 || status === 501, `${what} gave ${status}`).toBe(true);
  if (status < 400) return;
  expect(body).not.toMatch(inside);
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1024);
}
