import { foldCase } from "./case-mapping.ts";
import { wordCharacterRuns } from "./word-characters-table.ts";

/** Length of a word in code points: what is longer counts up to here, since no index takes entries of any length. */
export const longestWord = 255;

/**
 * What stands between the brackets of a regular expression's class of the characters of words. None of them means
 * anything there, in ECMAScript or in PostgreSQL.
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
 * The words of a text, as every engine finds and every search index keeps them: letters, marks and numbers in a row,
 * without regard to case, with a space before and after each: ` main street `. Of a text without words: nothing.
 */
export function wordsOf(text: string): string {
  word ??= new RegExp(`[${wordClass()}]+`, "gu");
  const words = foldCase(text).match(ascii.test(text) ? asciiWord : word) ?? [];
  return words.length === 0 ? "" : ` ${words.map(cut).join(" ")} `;
}

const cut = (one: string): string =>
  one.length <= longestWord ? one : Array.from(one).slice(0, longestWord).join("");
