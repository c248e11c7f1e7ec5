import fc from "fast-check";
import { expect, test } from "vitest";
import { parseGeo } from "../../src/syntax/geo.ts";

const digits = fc.stringMatching(/^\d{1,20}$/);
const numeral = fc
  .tuple(fc.constantFrom("", "-", "+"), digits, fc.option(digits), fc.constantFrom("", "e3", "E-7"))
  .map(
    ([sign, whole, fraction, power]) => `${sign}${whole}${fraction === null ? "" : `.${fraction}`}${power}`,
  );

test("a coordinate is the double nearest to its numeral", () => {
  fc.assert(
    fc.property(numeral, numeral, (x, y) => {
      const text = `Point(${x} ${y})`;
      expect(parseGeo(text, 0, text.length, "geography"), text).toEqual({
        srid: 4326,
        shape: { type: "Point", coordinates: [Number(x), Number(y)] },
      });
    }),
    { numRuns: Number(process.env["CASES"] ?? 500) },
  );
});
