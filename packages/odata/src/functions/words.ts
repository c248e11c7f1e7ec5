import { foldCase } from "./case-mapping.ts";
import { wordCharacterRuns } from "./word-characters-table.ts";

/**
 * Maximum length of a word in code points. Longer words are truncated, because no index takes entries of arbitrary
 * length.
 */
export const longestWord = 255;

/**
 * Returns the contents of a regular expression's character class for the characters of words. None of them has a
 * special meaning there, neither in ECMAScript nor in PostgreSQL.
 */
export const wordClass = (): string =>
  wordCharacterRuns
    .trim()
    .split(/\s+/)
    .map((run) => run.split("-").map(character).join("-"))
    .join("");

const character = (hexadecimal: string) => String.fromCodePoint(Number.parseInt(hexadecimal, 16));

let word: RegExp | undefined;

const asciiWord = /[0-9a-z]+/g;
const ascii = /^[\0-\x7f]*$/;

/**
 * Returns the words of a text as all engines and search indexes use them: runs of letters, marks and numbers,
 * case-folded, with a space before and after each: ` main street `. Empty for a text without words.
 */
export function wordsOf(text: string): string {
  word ??= new RegExp(`[${wordClass()}]+`, "gu");
  const words = foldCase(text).match(ascii.test(text) ? asciiWord : word) ?? [];
  return words.length === 0 ? "" : ` ${words.map(cut).join(" ")} `;
}

const cut = (one: string): string =>
  one.length <= longestWord ? one : Array.from(one).slice(0, longestWord).join("");
