import { describe, expect, test } from "vitest";
import {
  foldCase,
  foldCaseMapping,
  lowerCase,
  lowerCaseMapping,
  upperCase,
  upperCaseMapping,
} from "../../src/functions/case-mapping.ts";

describe("letter case", () => {
  const everyCode = (check: (character: string) => void): void => {
    for (let code = 1; code <= 0x1ffff; code++)
      if (code < 0xd800 || code > 0xdfff) check(String.fromCodePoint(code));
  };

  test.runIf(process.versions["unicode"] === "17.0")(
    "is the runtime's, where that maps one code point to one",
    () => {
      everyCode((character) => {
        const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
        if (Array.from(lower).length === 1) expect(lowerCase(character)).toBe(lower);
        if (Array.from(upper).length === 1) expect(upperCase(character)).toBe(upper);
      });
    },
  );

  test("maps one code point to one, and once is enough", () => {
    for (const mapping of [lowerCaseMapping(), upperCaseMapping(), foldCaseMapping()]) {
      expect(mapping.size).toBeGreaterThan(1400);
      for (const target of mapping.values()) expect(mapping.get(target)).toBeUndefined();
    }
  });

  test("is folded away, whichever case came before", () => {
    everyCode((character) => {
      const folded = foldCase(character);
      if (foldCase(lowerCase(character)) !== folded || foldCase(upperCase(character)) !== folded) {
        expect.fail(character);
      }
    });
  });

  test.each([
    ["ΣΊΣΥΦΟΣ", "σίσυφος"],
    ["STRAßE", "straẞe"],
    ["K", "K"],
    ["Ǆ", "ǅ"],
  ])("%s and %s differ in case only", (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });
});
