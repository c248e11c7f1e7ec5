import { whereOfCell } from "@cadastre/reso";
import { sampleCatalog } from "@cadastre/sample/catalog";
import { geoToPlacekey, placekeyToH3 } from "@placekey/placekey";
import fc from "fast-check";
import { isValidCell, latLngToCell } from "h3-js";
import { expect, test } from "vitest";
import { requirePlacekey } from "../src/odata/placekey.ts";

const { entitySet } = sampleCatalog;

const property = entitySet("Property");
const isTaken = (placekey: string): boolean => {
  try {
    requirePlacekey(placekey, property);
    return true;
  } catch {
    return false;
  }
};

const points = fc.tuple(
  fc.double({ min: -89, max: 89, noNaN: true }),
  fc.double({ min: -179, max: 179, noNaN: true }),
);

test("every hexagon's Placekey is taken, and is that of the reference implementation", () => {
  fc.assert(
    fc.property(points, ([latitude, longitude]) => {
      const where = whereOfCell(latLngToCell(latitude, longitude, 10));
      expect(`@${where}`).toBe(geoToPlacekey(latitude, longitude));
      expect([where, isTaken(`@${where}`), isTaken(`222-227@${where}`)]).toEqual([where, true, true]);
    }),
  );
});

const symbol = fc.constantFrom(...Array.from("23456789bcdfghjkmnpqrstvwxyzaeu"));
const where = fc
  .array(symbol, { minLength: 9, maxLength: 9 })
  .map((code) =>
    [code.slice(0, 3), code.slice(3, 6), code.slice(6)].map((group) => group.join("")).join("-"),
  );

test("a where part is taken exactly if its hexagon exists and is written so", () => {
  let refused = 0;
  fc.assert(
    fc.property(where, (text) => {
      if (!isTaken(`@${text}`)) refused++;
      else {
        const cell = placekeyToH3(`@${text}`);
        expect([isValidCell(cell), `@${whereOfCell(cell)}`]).toEqual([true, `@${text}`]);
      }
    }),
    { numRuns: 2000 },
  );
  expect(refused).toBeGreaterThan(500);
});

test.each([
  "",
  "@",
  "222-227",
  "222-227@",
  "@5vg-82n",
  "@5vg-82n-kzz-kzz",
  "5vg-82n-kzz",
  "222-227@5VG-82N-KZZ",
  "222-227@@5vg-82n-kzz",
  "a@b@5vg-82n-kzz",
  "2-2@5vg-82n-kzz",
  // No base cell so high, digits of no direction, a word that has a stand-in, and a pad that is none.
  "@zzz-zzz-zzz",
  "@222-222-222",
  "@5vg-82n-prn",
  "@5vg-82n-kza",
])("`%s` is refused", (text) => {
  expect(isTaken(text)).toBe(false);
});
