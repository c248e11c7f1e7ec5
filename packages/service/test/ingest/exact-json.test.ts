import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDecimal, roundDecimal, toDouble } from "../../src/ingest/decimal.ts";
import { duplicateMember, ExactNumber, numberOf, parseJson } from "../../src/ingest/exact-json.ts";

describe("JSON", () => {
  test("is read as JSON.parse reads it, but for numbers that no double holds", () => {
    const isHeld = (value: unknown) => typeof value !== "number" || numberOf(String(value)) === value;
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, spaces) => {
        // A number with an exponent makes the whole text be read digit by digit.
        const text = `[${JSON.stringify(value, null, spaces)},1e0]`;
        const held = JSON.parse(text, (_, one: unknown) => (isHeld(one) ? one : null)) as unknown;
        expect(unexact(parseJson(text))).toEqual(held);
      }),
    );
  });

  test.each([
    '{"a":"\\\\","b":"\\"1e5\\"", "c" : 1e400}',
    '{"__proto__":1e400,"a":{"a":[]}}',
    '["\\u0022,1e5",{"":-1E-400}]',
    " [ ] ",
  ])("with quotes and names of any kind: %s", (text) => {
    const held = JSON.parse(text.replaceAll(/-?1e-?400/gi, "null")) as unknown;
    expect(unexact(parseJson(text))).toEqual(held);
  });

  test.each(["{", "[1e400", "1e400x", `${"[".repeat(300)}1e400${"]".repeat(300)}`])(
    "%.20s is none",
    (text) => {
      expect(parseJson(text)).toBeUndefined();
    },
  );

  test.each([
    ['{"a":1,"b":2}', undefined],
    ['{"a":1,"a":1}', "a"],
    ['{"a":{"b":1},"b":{"a":1}}', undefined],
    ['[{"a":[{"b": 1, "\\u0062" :2}]}]', "b"],
    ['{"a":"\\":\\":","b":":","c":"x\\" : \\"a\\":1"}', undefined],
    ['{"a":"\\":","a":1e400}', "a"],
    ['{"__proto__":1,"__proto__":2}', "__proto__"],
    ['{"":1,"":2}', ""],
  ])("%s has twice: %s", (text, name) => {
    expect(duplicateMember(text, parseJson(text))).toBe(name);
  });

  test("that JSON.stringify writes has no member twice", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, spaces) => {
        const text = JSON.stringify(value, null, spaces);
        expect(duplicateMember(text, parseJson(text))).toBeUndefined();
      }),
    );
  });

  test.each<[string, boolean]>([
    ["0.1", true],
    ["-12.50", true],
    ["1e3", true],
    ["9007199254740991", true],
    ["9007199254740993", false],
    ["9223372036854775000", false],
    ["0.1000000000000000055", false],
    ["0.10000000000000000", true],
    ["12345678901234567890.12", false],
    ["1e400", false],
    ["1e-400", false],
    ["0e999", true],
  ])("%s is a double: %s", (text, isDouble) => {
    expect(numberOf(text)).toEqual(isDouble ? Number(text) : new ExactNumber(text));
  });
});

/** Numbers that no double holds as null. */
function unexact(value: unknown): unknown {
  if (value instanceof ExactNumber) return null;
  if (Array.isArray(value)) return value.map(unexact);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unexact(one)]));
}

test("decimals are rounded half away from zero, digit by digit", () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 14n), 10n ** 14n), fc.nat(9), fc.nat(9), (digits, places, scale) => {
      const unit = 10n ** BigInt(Math.max(0, places - scale));
      const magnitude = digits < 0n ? -digits : digits;
      const rounded = ((magnitude + unit / 2n) / unit) * (digits < 0n ? -1n : 1n);
      const kept = roundDecimal(parseDecimal(`${digits}e-${places}`) ?? expect.unreachable(), scale);
      expect(toDouble(kept)).toBe(Number(`${rounded}e-${Math.min(places, scale)}`) + 0);
    }),
  );
});
