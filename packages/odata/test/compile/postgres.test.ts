import Big from "big.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { arithmetic } from "../../src/evaluate/arithmetic.ts";
import { cast } from "../../src/evaluate/cast.ts";
import {
  bindQuery,
  compilePage,
  type PrimitiveType,
  parseFilter,
  parseOrderBy,
  postgres,
  tableMapping,
} from "../../src/index.ts";
import { encodings } from "../../src/sql/encoding.ts";
import { render, type SqlFragment, sql } from "../../src/sql/fragment.ts";
import { hasPostgres } from "../../src/testing/postgres.ts";
import { filterTexts, orderByTexts } from "../support/arbitraries.ts";
import { listing } from "../support/listing.ts";
import { openPostgresListings } from "../support/postgres-listings.ts";

type Listings = Awaited<ReturnType<typeof openPostgresListings>>;

describe.skipIf(!hasPostgres)("PostgreSQL (skipped where none is installed)", () => {
  let listings: Listings;

  beforeAll(async () => {
    listings = await openPostgresListings();
    await listings.pool.query('create table "hostile" (like "property")');
    await listings.pool.query(
      'alter table "hostile" alter "ListPrice" type numeric, alter "LivingArea" type numeric',
    );
    await listings.pool.query(`insert into "hostile" select 'n', chr(127), E'\\\\', null, 'NaN', 'NaN', null, null,
      'infinity', 'infinity', '{}', null, 'Infinity', '24:00', 'NaN', null, ',', '=', '[1]', '"x"', '3',
      '[null, {}, "infinity", "24:00Z", 1e300]'`);
    await listings.pool.query(`insert into "hostile" select 'o', '', ' ', '-Infinity', '-Infinity', '-Infinity', null, null,
      '4713-01-01 BC', '294276-12-31 23:59:59.999999+00', 'null', null, 'NaN', '00:00', '-Infinity', null, '', '',
      'null', '["NaN", "1e9999", 1e1000, true]', '[1.5, "99999999999999999999", 1e30]', '[1]'`);
    await listings.pool.query(`insert into "hostile" select 'p', '1e9999', 'P1D', null, '1e100000', '1e308', null, null,
      '-infinity', '-infinity', null, null, '1e38', '12:00', '1e100000', null, null, null,
      '{"type": "Point", "coordinates": [1e400, "x"]}', '{}', 'null', '["x", []]'`);
  });

  afterAll(async () => await listings?.close());

  const run = async (text: string, values: readonly unknown[]) =>
    (await listings.pool.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows;

  test("no row raises an error, whatever is asked", { timeout: 120_000 }, async () => {
    const numRuns = Number(process.env["CASES"] ?? 25);
    const mapping = tableMapping("hostile");
    await fc.assert(
      fc.asyncProperty(filterTexts, orderByTexts, async (filter, orderBy) => {
        const parts = { orderBy: parseOrderBy(orderBy), top: 1 };
        for (const query of [
          bindQuery({ filter: parseFilter(filter), top: 9 }, listing),
          bindQuery(parts, listing),
        ]) {
          const { text, values } = compilePage(query, postgres, mapping, { order: true });
          const [first] = await run(text, values);
          const after = first?.slice(query.select.length);
          if (after === undefined) continue;
          const next = compilePage({ ...query, after }, postgres, mapping, { order: true });
          await run(next.text, next.values);
        }
      }),
      { numRuns },
    );
  });

  /** What a fragment over each row of values, in database form, gives as text. */
  async function column(
    all: readonly (readonly unknown[])[],
    types: readonly PrimitiveType[],
    fragment: (...columns: readonly SqlFragment[]) => SqlFragment,
  ): Promise<readonly (string | null)[]> {
    const property = { name: "", type: "Edm.String", collection: false, nullable: true } as const;
    const encoded = all.map((row) =>
      row.map((one, i) => {
        const { value } = encodings[postgres.computedEncodings[types[i] ?? "Edm.String"]](one, property);
        return Object.is(value, -0) ? "-0" : String(value);
      }),
    );
    const names = [sql`a`, sql`b`];
    const typed = types.map((type, i) => {
      const { parts } = postgres.operand(0, type, postgres.computedEncodings[type]);
      return {
        parts: [i === 0 ? "(item ->> 0)" : "(item ->> 1)", ...parts.slice(1)],
      } as unknown as SqlFragment;
    });
    const [a = sql`null`, b = sql`null`] = typed;
    const { text } = render(
      sql`select (${fragment(...names)})::text from jsonb_array_elements(($1)::jsonb) with ordinality as given(item, place),
        lateral (select ${a} as a, ${b} as b) as typed order by place`,
      () => "",
    );
    return (await run(text, [JSON.stringify(encoded)])).map(([one]) => one as string | null);
  }

  /** The value in memory that a text of the computed form stands for. */
  const shown = (value: unknown, type: PrimitiveType): unknown => {
    if (value === null) return null;
    const property = { name: "", type, collection: false, nullable: true } as const;
    return encodings[postgres.computedEncodings[type]](value, property).value;
  };
  const read = (text: string | null, type: PrimitiveType): unknown => {
    if (text === null) return null;
    const form = postgres.computedEncodings[type];
    if (form === "double") return Number(text);
    if (form === "scaled") return BigInt(text);
    return form === "numeric"
      ? new Big(text).toString()
      : form === "picoseconds"
        ? new Big(text).toFixed()
        : text;
  };

  const extremes = fc.constantFrom(
    0,
    -0,
    1,
    -1,
    5e-324,
    -5e-324,
    2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    1e154,
    1.4e154,
    1e-162,
    2 ** -537,
    2 ** 1023,
    1e23,
    3.5,
  );
  const double = fc.oneof(
    extremes,
    fc.double({ noNaN: true }),
    fc.double({ noNaN: true, min: -1e3, max: 1e3 }),
  );
  const decimal = fc.oneof(
    fc
      .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(40))
      .map(([n, e]) => new Big(`${n}e-${e}`)),
    fc
      .constantFrom("0", "1", "-1", "0.07", "1e9999", "1e-9999", "-1e9999", "3e-20")
      .map((text) => new Big(text)),
  );
  const int64 = fc.oneof(
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.bigInt({ min: -9n, max: 9n }),
    fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n),
  );
  const duration = fc.oneof(
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    fc.constantFrom(0n, 1n, 10n ** 12n),
  );
  const days = fc.oneof(
    fc.integer({ min: -719_162, max: 2_932_896 }),
    fc.constantFrom(-719_162, 2_932_896, 0),
  );
  const instant = fc
    .bigInt({ min: -62135596800n * 10n ** 12n, max: 253402300799n * 10n ** 12n })
    .map((picoseconds) => ({ picoseconds, offset: 0 }));
  const time = fc.bigInt({ min: 0n, max: 86_400n * 10n ** 12n - 1n });

  test.each([
    ["Edm.Double", double, 4000],
    ["Edm.Single", double.map(Math.fround), 2000],
    ["Edm.Decimal", decimal, 2000],
    ["Edm.Int64", int64, 2000],
  ] as const)("arithmetic in %s is what it is in memory", async (type, arbitrary, numRuns) => {
    const pairs = fc.sample(fc.tuple<[unknown, unknown]>(arbitrary, arbitrary), numRuns);
    for (const operator of ["add", "sub", "mul", "div", "mod"] as const) {
      const found = await column(pairs, [type, type], (a = sql``, b = sql``) =>
        postgres.arithmetic(operator, [type, type], [a, b]),
      );
      for (const [i, [a, b]] of pairs.entries()) {
        const expected = arithmetic(operator, type, a, b);
        const exact = type === "Edm.Double" || type === "Edm.Single" ? expected : shown(expected, type);
        expect(String(read(found[i] ?? null, type)), `${String(a)} ${operator} ${String(b)}`).toBe(
          String(exact),
        );
        if (typeof expected === "number") expect(Number(found[i]) + 0).toBe(expected + 0);
      }
    }
  });

  const text = fc.oneof(
    fc.constantFrom(
      "",
      " ",
      "+5",
      "-0",
      "00012",
      "1e400",
      "-1e-400",
      "1E5",
      ".5",
      "5.",
      "INF",
      "-INF",
      "NaN",
      "Infinity",
      "0x1",
      "true",
      "FALSE",
      "t",
      "2024-02-29",
      "2023-02-29",
      "1900-02-29",
      "0000-01-01",
      "10000-01-01",
      "-0001-01-01",
      "24:00",
      "23:59:59.999999999999",
      "8:30",
      "2024-01-01T00:00Z",
      "2024-01-01t00:00:00+14:59",
      "epoch",
      "now",
      "2024-01-01T00:00:00+15:00",
      "9999-12-31T23:59:00-01:00",
      "0000-12-31T23:00:00-05:00",
      "infinity",
      "P",
      "-P1D",
      "p1dt2h3m4.5s",
      "P1DT",
      "PT36H",
      "PT0.1234567890123S",
      "a-",
      "==",
      "٣",
      "1_000",
      "1".repeat(40),
      "９",
      "0f0e0d0c-0b0a-0908-0706-050403020100",
      "{0f0e0d0c-0b0a-0908-0706-050403020100}",
      "1e-7",
      "9".repeat(400),
    ),
    fc.string({ maxLength: 6, unit: fc.constantFrom(..."0123456789-+.eETZPDHMS:".split("")) }),
    int64.map(String),
    double.map(String),
  );
  const values = {
    "Edm.String": text,
    "Edm.Boolean": fc.boolean(),
    "Edm.Int64": int64,
    "Edm.Decimal": decimal,
    "Edm.Single": double.map(Math.fround),
    "Edm.Double": double,
    "Edm.Date": days,
    "Edm.DateTimeOffset": instant,
    "Edm.TimeOfDay": time,
    "Edm.Duration": duration,
  } as const satisfies Partial<Record<PrimitiveType, fc.Arbitrary<unknown>>>;
  const numbers = ["SByte", "Byte", "Int16", "Int32", "Int64", "Decimal", "Single", "Double"].map(
    (name) => `Edm.${name}` as PrimitiveType,
  );
  const others = ["Boolean", "Date", "DateTimeOffset", "TimeOfDay", "Duration", "Guid", "Binary"].map(
    (name) => `Edm.${name}` as PrimitiveType,
  );
  const conversions = (Object.keys(values) as (keyof typeof values)[]).flatMap(
    (from): (readonly [keyof typeof values, PrimitiveType])[] => {
      if (from === "Edm.String") return [...numbers, ...others].map((to) => [from, to] as const);
      if (from === "Edm.DateTimeOffset")
        return (["Edm.String", "Edm.Date", "Edm.TimeOfDay"] as const).map((to) => [from, to] as const);
      return (numbers.includes(from) ? [...numbers, "Edm.String" as const] : ["Edm.String" as const])
        .filter((to) => to !== from)
        .map((to) => [from, to] as const);
    },
  );

  test.each(conversions)("a cast of %s to %s is what it is in memory", async (from, to) => {
    const given = fc.sample<unknown>(values[from], 600);
    const found = await column(
      given.map((one) => [one]),
      [from],
      (a = sql``) => postgres.cast(from, to, a),
    );
    for (const [i, one] of given.entries()) {
      const expected = cast(one, from, to);
      const exact = typeof expected === "number" && to !== "Edm.Date" ? expected : shown(expected, to);
      if (!Number.isNaN(expected))
        expect(String(read(found[i] ?? null, to)), `${String(one)}`).toBe(String(exact));
    }
  });

  test("long and deep queries are answered", async () => {
    const list = (count: number, item: (i: number) => string) =>
      Array.from({ length: count }, (_, i) => item(i));
    const deep = (count: number, open: string, inner: string, close: string) =>
      open.repeat(count) + inner + close.repeat(count);
    for (const text of [
      `City in (${list(1000, (i) => `'${i}'`).join()})`,
      `not (BedroomsTotal in (${list(1000, String).join()}))`,
      list(600, (i) => `City eq '${i}'`).join(" or "),
      list(600, (i) => `BedroomsTotal ne ${i}`).join(" and "),
      `${list(590, () => "BedroomsTotal").join(" add ")} gt 1`,
      `${list(500, () => "Score").join(" mul ")} gt 1`,
      `${list(500, () => "LivingArea").join(" mul ")} gt 1`,
      deep(63, "(", "City eq 'York'", ")"),
      deep(31, "not (", "City eq 'York'", ")"),
      `${deep(60, "tolower(", "City", ")")} eq 'york'`,
      `${deep(31, "-(", "Score", ")")} eq 1`,
      `${deep(30, "concat(City,", "City", ")")} eq 'york'`,
    ]) {
      const query = bindQuery({ filter: parseFilter(text), top: 100 }, listing);
      await listings.keys(query);
    }
  });
});
