import { describe, expect, test } from "vitest";
import { wordCharacters, wordsOf } from "../../src/functions/words.ts";

describe("the words of a text", () => {
  test.each([
    ["Main Street", " main street "],
    ["O'Fallon-Nord, 2½", " o fallon nord 2½ "],
    ["ΟΔΌΣ", " οδόσ "],
    ["e\u0301cole École", " e\u0301cole école "],
    ["a😀b", " a b "],
    [" -- ", ""],
    ["", ""],
    ["x".repeat(256), ` ${"x".repeat(255)} `],
    [`${"𐐨".repeat(300)} b`, ` ${"𐐨".repeat(255)} b `],
  ])("%j: %j", (text, expected) => {
    expect(wordsOf(text)).toBe(expected);
  });

  test.runIf(process.versions["unicode"] === "17.0")("consist of letters, marks and numbers", () => {
    const runs = wordCharacters().map(([first, last]) => [
      first.codePointAt(0) ?? 0,
      last.codePointAt(0) ?? 0,
    ]);
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const isOne = runs.some(([first = 0, last = 0]) => first <= code && code <= last);
      if (isOne !== /[\p{L}\p{M}\p{N}]/u.test(String.fromCodePoint(code))) expect.fail(code.toString(16));
    }
  });
});
