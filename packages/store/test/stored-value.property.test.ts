import type { PrimitiveType, StructuralProperty } from "@cadastre/odata";
import { type EncodingName, encodings } from "@cadastre/odata/compile";
import { codecOf } from "@cadastre/odata/run";
import fc from "fast-check";
import { expect, test } from "vitest";
import { columnValues } from "../src/record/column-values.ts";
import { isWrittenInstant, storedText, storedValue } from "../src/record/stored-value.ts";

const runs = { numRuns: Number(process.env["CASES"] ?? 2000) };

const propertyOf = (type: PrimitiveType, scale?: number): StructuralProperty => ({
  name: "Value",
  type,
  collection: false,
  nullable: true,
  ...(scale === undefined ? {} : { scale }),
});

const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, "0"));
/** Texts with the form of instants, some of which name a day or a time that does not exist. */
const instant = fc
  .tuple(
    fc.oneof(
      fc.constantFrom("0000", "0001", "1900", "2000", "2023", "2024", "9999"),
      fc.integer({ min: 1000, max: 9999 }),
    ),
    two(13),
    fc.oneof(two(32), fc.constantFrom("28", "29", "30", "31")),
    two(25),
    two(61),
    two(61),
    fc.constantFrom(".000", ".100", ".120", ".123", ".007", "", ".1", ".1234"),
    fc.constantFrom("Z", "Z", "Z", "+00:00", "-08:00", "z"),
  )
  .map(
    ([year, month, day, hour, minute, second, fraction, offset]) =>
      `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${offset}`,
  );

const number = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.integer().map((n) => n / 100),
  fc.double(),
  fc.constantFrom(-0, 1e21, 1e-7, 5e-324, 2 ** 53, -(2 ** 53) - 2, 2 ** 63, Number.MAX_VALUE),
);

test("an instant that needs no conversion is one whose canonical text it is", () => {
  const codec = codecOf("Edm.DateTimeOffset");
  fc.assert(
    fc.property(instant, (text) => {
      const value = storedValue(text, "Edm.DateTimeOffset");
      expect(isWrittenInstant(text), text).toBe(value !== undefined && codec.toJson(value) === text);
    }),
    runs,
  );
});

const forms = {
  "Edm.Int64": ["scaled", "numeric"],
  "Edm.Decimal": ["scaled", "numeric", "double"],
  "Edm.DateTimeOffset": ["timestampText", "timestamptz"],
} as const satisfies Partial<Record<PrimitiveType, readonly EncodingName[]>>;

const columnCase = fc.oneof(
  ...(["Edm.Int64", "Edm.Decimal"] as const).map((type) =>
    fc.record({
      type: fc.constant(type),
      form: fc.constantFrom(...forms[type]),
      json: number as fc.Arbitrary<unknown>,
      // Without one, a scaled decimal would lose its fraction.
      scale: fc.constantFrom(2, 4),
    }),
  ),
  fc.record({
    type: fc.constant("Edm.DateTimeOffset" as const),
    form: fc.constantFrom(...forms["Edm.DateTimeOffset"]),
    json: instant as fc.Arbitrary<unknown>,
    scale: fc.constant(undefined),
  }),
);

test("a column has the value that the full conversion gives, or refuses what that refuses", () => {
  fc.assert(
    fc.property(columnCase, ({ type, form, json, scale }) => {
      const property = propertyOf(type, type === "Edm.Int64" ? undefined : scale);
      const value = storedValue(json, type);
      const values = () =>
        columnValues(
          [property],
          () => json,
          () => form,
        ).map(String);
      if (value === undefined) expect(values).toThrow();
      else expect(values(), String(json)).toEqual([String(encodings[form](value, property).value)]);
    }),
    runs,
  );
});

const text = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("a", '"', "\\", "\t", "\n", "\u007f", "\u0085", "\ud83d", "\ude00", "\0", "é"),
  }),
);

test("the text of a value in a record is its JSON", () => {
  fc.assert(
    fc.property(text, number, fc.array(text), (one, amount, many) => {
      const isStorable = (each: string) => each.isWellFormed() && !each.includes("\0");
      const ofText = () => storedText(one, propertyOf("Edm.String"));
      if (isStorable(one)) expect(ofText()).toBe(JSON.stringify(one));
      else expect(ofText).toThrow();

      const ofTexts = () => storedText(many, { ...propertyOf("Edm.String"), collection: true });
      if (many.every(isStorable)) expect(ofTexts()).toBe(JSON.stringify(many));
      else expect(ofTexts).toThrow();

      const ofNumber = () => storedText(amount, propertyOf("Edm.Decimal"));
      if (Number.isFinite(amount)) expect(ofNumber()).toBe(JSON.stringify(amount));
      else expect(ofNumber).toThrow();

      const ofInteger = () => storedText(amount, propertyOf("Edm.Int64"));
      if (Number.isInteger(amount) && BigInt.asIntN(64, BigInt(amount)) === BigInt(amount))
        expect(ofInteger()).toBe(String(BigInt(amount)));
      else expect(ofInteger).toThrow();
    }),
    runs,
  );
});
