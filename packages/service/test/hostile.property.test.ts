import { functionTable } from "@cadastre/odata";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ask } from "./support/ask.ts";
import { type Running, run } from "./support/running.ts";

/** `CASES=10000` for more, `SEED=1` for the same ones again. */
const { CASES, SEED } = process.env;
const numRuns = Number(CASES ?? 300);

let running: Running;

beforeAll(async () => {
  running = await run({ CADASTRE_LISTINGS: "60", CADASTRE_TRUST_PROXY: "1" });
});
afterAll(() => running.stop());

const pick = (...texts: readonly string[]) => fc.constantFrom(...texts);

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

const options = pick(
  ..."$filter $select $orderby $top $skip $skiptoken $count $ignorenulls $ignorecase $format $expand $nope placekey filter".split(
    " ",
  ),
);

const raw = fc
  .array(fc.oneof(pieces, fc.string({ maxLength: 4 })), { maxLength: 14 })
  .map((list) => list.join(" "));

/** As a client would encode it, or with bytes that no client should send. */
const text = fc.oneof(
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

const target = fc
  .tuple(path, fc.array(fc.tuple(options, text), { maxLength: 4 }))
  .map(([start, list]) => `/reso/odata${start}?${list.map(([name, value]) => `${name}=${value}`).join("&")}`);

/** Headers that have a say in an answer, with and without sense. HTTP allows no more than printable ASCII in them. */
const headers = fc.record(
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
const inside = /SQLITE|sqlite|SqliteError|node_modules|\bat .*\.ts:|no such column|near "/;

test("no address gets a 500, database text or a long error", { timeout: 30_000 + numRuns * 50 }, async () => {
  const { baseUrl } = running.service;
  await fc.assert(
    fc.asyncProperty(target, pick("national", "state", "coarse"), headers, async (address, name, more) => {
      const reply = await ask(baseUrl, address, { ...more, "x-api-key": running.key(name) });
      expect(reply.status < 500 || reply.status === 501, `${address} gave ${reply.status}`).toBe(true);
      expect(reply.headers["odata-version"]).toBe("4.0");
      if (reply.status >= 400) {
        expect(reply.text).not.toMatch(inside);
        expect(Buffer.byteLength(reply.text)).toBeLessThanOrEqual(1024);
      }
    }),
    { numRuns, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
});

test("no function of the language gets a 500", async () => {
  const { baseUrl } = running.service;
  const examples = [...functionTable.values()]
    .flat()
    .flatMap((entry) => entry.examples.map(([text]) => text));
  const failed = [];
  for (const example of examples) {
    const filter = encodeURIComponent(`(${example}) ne null or ListPrice gt 0`);
    const reply = await ask(baseUrl, `/reso/odata/Property?$top=1&$filter=${filter}`, {
      "x-api-key": running.key("national"),
    });
    if (reply.status >= 500 && reply.status !== 501) failed.push(`${example} gave ${reply.status}`);
  }
  expect(examples.length).toBeGreaterThan(20);
  expect(failed).toEqual([]);
});
