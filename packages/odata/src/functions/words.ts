import { foldCase } from "./case-mapping.ts";
import { wordCharacterRuns } from "./word-characters-table.ts";

/** Length of a word in code points: what is longer counts up to here, since no index takes entries of any length. */
export const longestWord = 255;

/** First and last code point of each run of characters that words consist of. */
export const wordCharacters = (): readonly (readonly [first: string, last: string])[] =>
  wordCharacterRuns
    .trim()
    .split(/\s+/)
    .map((run) => {
      const [first = "", last = first] = run.split("-");
      return [character(first), character(last)];
    });

const character = (hexadecimal: string) => String.fromCodePoint(Number.parseInt(hexadecimal, 16));

let word: RegExp | undefined;

/** No character of a word means anything in a class of a regular expression. */
const wordPattern = (): RegExp =>
  new RegExp(
    `[${wordCharacters()
      .map(([first, last]) => `${first}-${last}`)
      .join("")}]+`,
    "gu",
  );

const asciiWord = /[0-9a-z]+/g;
const ascii = /^[\0-\x7f]*$/;

/**
 * The words of a text, as every engine finds and every search index keeps them: letters, marks and numbers in a row,
 * without regard to case, with a space before and after each: ` main street `. Of a text without words: nothing.
 */
export function wordsOf(text: string): string {
  word ??= wordPattern();
  const words = foldCase(text).match(ascii.test(text) ? asciiWord : word) ?? [];
  return words.length === 0 ? "" : ` ${words.map(cut).join(" ")} `;
}

const cut = (one: string): string =>
  one.length <= longestWord ? one : Array.from(one).slice(0, longestWord).join("");
