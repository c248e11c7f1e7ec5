import { describe, expect, test } from "vitest";
import { wordsOf } from "../../src/functions/words.ts";

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
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const character = String.fromCodePoint(code);
      const isWord = wordsOf(character) !== "";
      if (isWord !== /[\p{L}\p{M}\p{N}]/u.test(character)) expect.fail(code.toString(16));
    }
  });
});
