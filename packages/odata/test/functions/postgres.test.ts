import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { foldCase, lowerCase, upperCase } from "../../src/functions/case-mapping.ts";
import { matchesPattern } from "../../src/functions/pattern.ts";
import { wordCharacterRuns } from "../../src/functions/word-characters-table.ts";
import { wordsOf } from "../../src/functions/words.ts";
import { distance } from "../../src/geodesy/distance.ts";
import { containsPoint } from "../../src/geodesy/polygon.ts";
import { helperFiles, helpersOf, postgresHelpers } from "../../src/postgres/helpers.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../../src/testing/postgres.ts";
import type { Position } from "../../src/tree/index.ts";
import { inMemory, inPostgres } from "./engines.ts";
import { pattern, subject } from "./patterns.ts";

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const pad = (part: number, width = 2) => String(part).padStart(width, "0");

const text = fc.string({
  unit: fc.constantFrom("a", "B", "é", "́", "ß", "Σ", "😀", "𐐀", " ", "\u3000", "%", "'"),
  maxLength: 8,
});
const index = fc.bigInt({ min: -9n, max: 9n }).map(String);
/** A length of `substring`: binding refuses a constant below 0, but not a computed one. */
const count = index.map((n) => (n.startsWith("-") ? `(0 add ${n})` : n));
const item = fc.constantFrom('"a"', '"b"', '"😀"', '""', "null");
const items = fc.array(item, { maxLength: 5 }).map((all) => `["a",${all.join()}]`.replace(",]", "]"));
const number = fc
  .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.nat(12))
  .map(([digits, scale]) => {
    const shown = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
    const whole = `${shown.slice(0, shown.length - scale)}.${shown.slice(shown.length - scale)}0`;
    return digits < 0n ? `-${whole}` : whole;
  });
const double = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .map((x) => x.toExponential().replace("e+", "e"));
const date = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
  .map((d) => `${pad(d.getUTCFullYear(), 4)}${d.toISOString().slice(-20)}`);
const time = date.map((instant) => instant.slice(11, -1));

const one = (name: string, arg: fc.Arbitrary<string>) => arg.map((x) => `${name}(${x})`);
const two = (name: string, a: fc.Arbitrary<string>, b: fc.Arbitrary<string>) =>
  fc.tuple(a, b).map(([x, y]) => `${name}(${x},${y})`);
const three = (name: string, a: fc.Arbitrary<string>, b: fc.Arbitrary<string>, c: fc.Arbitrary<string>) =>
  fc.tuple(a, b, c).map(([x, y, z]) => `${name}(${x},${y},${z})`);

const literal = text.map(quoted);
const calls = fc.oneof(
  ...["concat", "contains", "endswith", "indexof", "startswith"].map((name) => two(name, literal, literal)),
  ...["length", "tolower", "toupper", "trim"].map((name) => one(name, literal)),
  two("substring", literal, index),
  three("substring", literal, index, count),
  ...["concat", "contains", "endswith", "indexof", "startswith", "hassubset", "hassubsequence"].map((name) =>
    two(name, items, items),
  ),
  one("length", items),
  two("substring", items, index),
  three("substring", items, index, count),
  ...["round", "floor", "ceiling"].flatMap((name) => [one(name, number), one(name, double)]),
  ...["year", "month", "day"].flatMap((name) => [
    one(name, date),
    one(
      name,
      date.map((at) => at.slice(0, 10)),
    ),
  ]),
  ...["hour", "minute", "second", "fractionalseconds"].flatMap((name) => [one(name, date), one(name, time)]),
  ...["date", "totaloffsetminutes"].map((name) => one(name, date)),
);

test("no helper has a question mark behind a backslash: knex takes that for a placeholder, whatever escapes it", () => {
  for (const helper of postgresHelpers()) expect(helper).not.toContain("\\?");
});

describe.skipIf(!hasPostgres)("PostgreSQL agrees with memory (skipped where none is installed)", () => {
  let server: PostgresServer;
  let pool: pg.Pool;

  beforeAll(async () => {
    server = await startPostgres();
    pool = server.connect();
    for (const helper of postgresHelpers()) await pool.query(helper);
  });

  afterAll(async () => {
    await pool?.end();
    await server?.stop();
  });

  test.each(helperFiles)("%s.sql loads, and its functions have the bodies that it states", async (file) => {
    for (const statement of helpersOf(file)) {
      await pool.query(statement);
      const [head = "", body] = statement.split("$$");
      const name = /function (\w+)/.exec(head)?.[1];
      const { rows } = await pool.query<{ prosrc: string }>("select prosrc from pg_proc where proname = $1", [
        name,
      ]);
      expect(rows.map(({ prosrc }) => prosrc)).toContain(body);
    }
  });

  /** The first column of a statement over the items of a JSON array, `item`. */
  async function column<T>(expression: string, all: readonly unknown[]): Promise<readonly T[]> {
    const { rows } = await pool.query<{ v: T }>(
      `select ${expression} as v from jsonb_array_elements($1::jsonb) with ordinality as given(item, place) order by place`,
      [JSON.stringify(all)],
    );
    return rows.map(({ v }) => v);
  }

  test("on any call", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (call) => {
        expect(await inPostgres(call, pool), call).toStrictEqual(inMemory(call));
      }),
      { numRuns: 1500 },
    );
  });

  test("on the case of every code point", async () => {
    const characters: string[] = [];
    for (let code = 1; code <= 0x1ffff; code++)
      if (code < 0xd800 || code > 0xdfff) characters.push(String.fromCodePoint(code));
    const every = characters.filter((c) => /\p{L}|\p{M}|\p{N}|\p{S}/u.test(c)).slice(0, 20_000);
    for (const [name, map] of Object.entries({
      tolower: lowerCase,
      toupper: upperCase,
      foldcase: foldCase,
    })) {
      const mapped = await column<string>(`cadastre_${name}(item #>> '{}')`, every);
      expect(mapped.join("")).toBe(every.map(map).join(""));
    }
  });

  test("on the words that have each character, or end before it", async () => {
    const edges = wordCharacterRuns
      .trim()
      .split(/[\s-]+/)
      .flatMap((code) => [-1, 0, 1].map((step) => Number.parseInt(code, 16) + step))
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => `A${String.fromCodePoint(code)}b`);
    expect(await column<string>("cadastre_words(item #>> '{}')", edges)).toEqual(edges.map(wordsOf));
  });

  test("on the words for an index, on no search path too", async () => {
    const client = await pool.connect();
    await client.query("begin; set local search_path to ''");
    const { rows } = await client.query<{ words: string[] }>(
      "select public.cadastre_search_words('Sea view', null, 'VIEW of') as words",
    );
    await client.query("rollback");
    client.release();
    expect(rows[0]?.words.toSorted()).toEqual(["of", "sea", "view"]);
  });

  test("on patterns, which are refused alike", async () => {
    const pairs = fc.sample(fc.tuple(subject, pattern), { numRuns: 4000, seed: 7 });
    const verdicts = await column<boolean | null>(
      `(item ->> 0) collate "C" ~ cadastre_pattern(item ->> 1)`,
      pairs,
    );
    for (const [i, [against, source]] of pairs.entries()) {
      expect(verdicts[i], JSON.stringify([against, source])).toBe(matchesPattern(against, source));
    }
  });

  const place = fc
    .tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }))
    .map(([x, y]): readonly [number, number] => [x, y]);

  test("on distances up to 1,000 km within 0.01 mm, and on any within a centimetre", async () => {
    const near = fc.tuple(
      place,
      fc.double({ min: -6, max: 6, noNaN: true }),
      fc.double({ min: -6, max: 6, noNaN: true }),
    );
    const equatorial = fc
      .tuple(place, fc.double({ min: 179, max: 181, noNaN: true }), fc.integer({ min: -14, max: 0 }))
      .map(([[x, y], turn, magnitude]): readonly [Position, Position] => [
        [x, (y / 90) * 10 ** magnitude],
        [x + turn, (-y / 45) * 10 ** magnitude],
      ]);
    const beside = (
      [[x, y], dx, dy]: readonly [readonly [number, number], number, number],
      turn: number,
      scale: number,
    ) =>
      [
        [x, y],
        [x + turn + dx * scale, Math.max(-90, Math.min(90, (turn === 0 ? 1 : -1) * y + dy * scale))],
      ] as const;
    const pairs: readonly (readonly [Position, Position])[] = [
      fc.sample(near, 500).map((one) => beside(one, 0, 1)),
      fc.sample(fc.tuple(place, place), 300),
      fc.sample(near, 60).map((one) => beside(one, 180, 0.1)),
      // Two paths beside the equator that are nearly as short as each other.
      [
        [
          [0, 0],
          [180.6, 0.00006],
        ],
      ] as const,
      fc.sample(equatorial, 60),
    ].flat();
    const point = (i: number) => `jsonb_build_object('type', 'Point', 'coordinates', item -> ${i})`;
    const metres = await column<number>(`cadastre_geo_distance(${point(0)}, ${point(1)})`, pairs);
    for (const [i, [a, b]] of pairs.entries()) {
      const exact = distance(a, b) ?? Number.NaN;
      expect(Math.abs((metres[i] ?? Number.NaN) - exact), JSON.stringify([a, b])).toBeLessThan(
        exact < 1e6 ? 1e-5 : 1e-2,
      );
    }
  });

  test("on points and polygons", async () => {
    const shape = fc.record({
      middle: place,
      size: fc.constantFrom(1e-5, 1e-2, 1, 30),
      radii: fc.array(fc.double({ min: 0.2, max: 1, noNaN: true }), { minLength: 3, maxLength: 9 }),
      offset: fc.tuple(
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
      ),
    });
    const cases = fc.sample(shape, 1000).map(({ middle: [x, y], size, radii, offset: [dx, dy] }) => {
      const at = (h: number, v: number): Position => [
        x + size * h,
        Math.max(-90, Math.min(90, y + size * v)),
      ];
      const ring = radii.map((r, i) => {
        const angle = (i / radii.length) * 2 * Math.PI;
        return at(r * Math.cos(angle), r * Math.sin(angle));
      });
      return { point: at(dx, dy), rings: [[...ring, ...ring.slice(0, 1)]] };
    });
    const answers = await column<boolean | null>(
      `cadastre_geo_intersects(jsonb_build_object('type', 'Point', 'coordinates', item -> 'point'),
         jsonb_build_object('type', 'Polygon', 'coordinates', item -> 'rings'))`,
      cases,
    );
    for (const [i, { point, rings }] of cases.entries()) {
      expect(answers[i], JSON.stringify({ point, rings })).toBe(containsPoint(rings, point));
    }
  });

  test.each([
    "cadastre_year(date 'infinity')",
    "cadastre_year(date '-infinity')",
    "extract(month from (timestamptz 'infinity' at time zone 'UTC'))::bigint",
    "cadastre_substring('abc', -9223372036854775808, 1) is null",
    "cadastre_length('{}'::jsonb)",
    'cadastre_geo_distance(\'{"type":"Point","coordinates":[1e400,0]}\', \'{"type":"Point","coordinates":[1e-400,"x"]}\')',
    'cadastre_geo_length(\'{"type":"LineString","coordinates":[[0,0],null]}\')',
    "cadastre_geo_intersects('[]'::jsonb, 'null'::jsonb)",
    'cadastre_geo_intersects(\'{"type":"Point","coordinates":[0,0]}\', \'{"type":"Polygon","coordinates":[[],0]}\')',
  ])("%s raises no error", async (expression) => {
    const { rows } = await pool.query<{ v: unknown }>(`select ${expression} as v`);
    expect([null, false]).toContain(rows[0]?.v);
  });

  test("the year 0 is 1 BC", async () => {
    const { rows } = await pool.query<{ v: string }>("select cadastre_year(date '0001-12-31 BC') as v");
    expect(rows[0]?.v).toBe("0");
  });
});
