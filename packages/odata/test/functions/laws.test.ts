import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { functionTable } from "../../src/functions/index.ts";
import type { PrimitiveType } from "../../src/index.ts";
import { compareValues } from "../../src/model/compare.ts";
import { codecs } from "../../src/model/values.ts";
import { jsonOf } from "./engines.ts";

/** Call the overload for these types with values in memory form. */
function call(name: string, types: readonly string[], ...args: readonly unknown[]): unknown {
  const entry = functionTable.get(name)?.find(({ params }) => params.join() === types.join());
  if (entry === undefined) throw new RangeError(`${name}(${types.join()})`);
  return entry.evaluate(args);
}

const text = fc.string({
  unit: fc.constantFrom("a", "b", "é", "e\u0301", "ß", "😀", "𐐀", " ", "%", "'"),
  maxLength: 12,
});
const index = fc.bigInt({ min: -15n, max: 15n });
const String1 = ["Edm.String"];
const String2 = ["Edm.String", "Edm.String"];
const Slice = ["Edm.String", "Edm.Int64"];

describe("text", () => {
  test("substring takes code points, and its two halves make the whole", () => {
    fc.assert(
      fc.property(text, fc.nat(15), (whole, cut) => {
        const [start, rest] = [
          call("substring", [...Slice, "Edm.Int64"], whole, 0n, BigInt(cut)),
          call("substring", Slice, whole, BigInt(cut)),
        ];
        expect(call("concat", String2, start, rest)).toBe(whole);
        expect(start).toBe(Array.from(whole).slice(0, cut).join(""));
      }),
    );
  });

  test("substring is what a slice of the code points is, from either end", () => {
    fc.assert(
      fc.property(text, index, index, (whole, start, count) => {
        const rest = Array.from(whole).slice(Number(start));
        expect(call("substring", Slice, whole, start)).toBe(rest.join(""));
        expect(call("substring", [...Slice, "Edm.Int64"], whole, start, count)).toBe(
          count < 0n ? null : rest.slice(0, Number(count)).join(""),
        );
      }),
    );
  });

  test("indexof finds what substring then has", () => {
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        const whole = before + part + after;
        const found = call("indexof", String2, whole, part) as bigint;
        expect(found).toBeGreaterThanOrEqual(0n);
        expect(call("startswith", String2, call("substring", Slice, whole, found), part)).toBe(true);
        expect(call("contains", String2, whole, part)).toBe(true);
      }),
    );
  });

  test("length is additive", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const length = (one: string) => call("length", String1, one) as bigint;
        expect(length(a + b)).toBe(length(a) + length(b));
        expect(length(a)).toBe(BigInt(Array.from(a).length));
      }),
    );
  });
});

describe("numbers", () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(25))
    .map(([digits, scale]) => codecs["Edm.Decimal"].parse(`${digits}e-${scale}`));

  test.each(["Edm.Decimal", "Edm.Double"] as const)(
    "of type %s: floor ≤ x ≤ ceiling, and round is one of both",
    (type) => {
      const number = type === "Edm.Decimal" ? decimal : fc.double({ noNaN: true, noDefaultInfinity: true });
      fc.assert(
        fc.property<[unknown]>(number, (x) => {
          const [floor, ceiling, round] = ["floor", "ceiling", "round"].map((name) => call(name, [type], x));
          expect(compareValues(floor, x)).toBeLessThanOrEqual(0);
          expect(compareValues(ceiling, x)).toBeGreaterThanOrEqual(0);
          expect([compareValues(round, floor), compareValues(round, ceiling)]).toContain(0);
          expect(call("floor", [type], floor)).toStrictEqual(floor);
          for (const zero of [floor, ceiling, round]) expect(Object.is(Number(zero), -0)).toBe(false);
        }),
      );
    },
  );
});

describe("dates and times", () => {
  const instant = fc.record({
    picoseconds: fc.bigInt({ min: -(10n ** 23n), max: 10n ** 24n }),
    offset: fc.integer({ min: -840, max: 840 }),
  });
  const Instant1 = ["Edm.DateTimeOffset"];
  const pad = (part: unknown, width = 2) => String(part).padStart(width, "0");

  test("the parts of an instant put it together again", () => {
    fc.assert(
      fc.property(instant, (at) => {
        const part = (name: string) => call(name, Instant1, at);
        const year = part("year") as bigint;
        const date = `${year < 0n ? "-" : ""}${pad(year < 0n ? -year : year, 4)}-${pad(part("month"))}-${pad(part("day"))}`;
        const days = part("date") as number;
        expect(jsonOf(days, "Edm.Date")).toBe(date);
        for (const name of ["year", "month", "day"]) expect(call(name, ["Edm.Date"], days)).toBe(part(name));

        const time = part("time") as bigint;
        for (const name of ["hour", "minute", "second", "fractionalseconds"]) {
          expect(call(name, ["Edm.TimeOfDay"], time)).toStrictEqual(part(name));
        }
        const whole =
          ((part("hour") as bigint) * 60n + (part("minute") as bigint)) * 60n + (part("second") as bigint);
        expect(`${call("totalseconds", ["Edm.Duration"], time) as string}`).toBe(
          codecs["Edm.Decimal"]
            .parse(String(whole))
            ?.plus(String(part("fractionalseconds")))
            .toString(),
        );
        const offset = part("totaloffsetminutes") as bigint;
        expect(BigInt(days) * 86_400_000_000_000_000n + time - offset * 60_000_000_000_000n).toBe(
          at.picoseconds,
        );
      }),
    );
  });

  test("an instant is taken apart by the clock that it was written with", () => {
    const at = codecs["Edm.DateTimeOffset"].parse("2024-01-01T00:30:00+05:45");
    expect(["year", "month", "day", "hour", "minute"].map((name) => call(name, Instant1, at))).toStrictEqual([
      2024n,
      1n,
      1n,
      0n,
      30n,
    ]);
    expect(call("totaloffsetminutes", Instant1, at)).toBe(345n);
    expect(call("hour", Instant1, codecs["Edm.DateTimeOffset"].parse("2024-01-01T00:30:00-08:00"))).toBe(0n);
  });
});

describe("collections of types that a query cannot write", () => {
  test.each<[PrimitiveType, string, string]>([
    ["Edm.Date", "2024-01-01", "2024-01-02"],
    ["Edm.DateTimeOffset", "2024-01-01T00:00:00Z", "2024-01-01T00:00:00.001Z"],
    ["Edm.TimeOfDay", "08:30", "08:31"],
    ["Edm.Duration", "PT60S", "PT61S"],
    ["Edm.Guid", "00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b"],
  ])("%s", (type, first, second) => {
    const [a, b] = [codecs[type].parse(first), codecs[type].parse(second)];
    const types = [`Collection(${type})`, `Collection(${type})`];
    expect(call("hassubset", types, [a, b], [b, a])).toBe(true);
    expect(call("hassubset", types, [a, null], [b])).toBe(false);
    expect(call("indexof", types, [a, b, null], [b, null])).toBe(1n);
    expect(call("hassubsequence", types, [a, b], [b, a])).toBe(false);
  });

  test("one instant is one item, whatever its offset", () => {
    const at = ["2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00"].map((one) =>
      codecs["Edm.DateTimeOffset"].parse(one),
    );
    const types = ["Collection(Edm.DateTimeOffset)", "Collection(Edm.DateTimeOffset)"];
    expect(call("contains", types, [at[0]], [at[1]])).toBe(true);
  });

  test("null is not the text null", () => {
    const types = ["Collection(Edm.String)", "Collection(Edm.String)"];
    expect(call("contains", types, ["null", ""], [null])).toBe(false);
  });
});
