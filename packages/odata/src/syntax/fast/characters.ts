/** What a UTF-16 code unit can be a part of, as bits. Everything above ASCII has none. */
export const letter = 1;
export const digit = 2;
export const hexadecimal = 4;
export const space = 8;

const classes = new Uint8Array(65_536);
for (let code = 0; code < 128; code += 1) {
  const character = String.fromCharCode(code);
  if (/[A-Za-z_]/.test(character)) classes[code] = (classes[code] as number) | letter;
  if (/\d/.test(character)) classes[code] = (classes[code] as number) | digit;
  if (/[0-9A-Fa-f]/.test(character)) classes[code] = (classes[code] as number) | hexadecimal;
  if (/[ \t]/.test(character)) classes[code] = (classes[code] as number) | space;
}

/** Whether the code unit of `text` at `at` is of one of the classes. False past the end. */
export function is(text: string, at: number, kinds: number): boolean {
  return at < text.length && ((classes[text.charCodeAt(at)] as number) & kinds) !== 0;
}

/** The offset of the first code unit from `at` on that is of none of the classes. */
export function skip(text: string, at: number, kinds: number): number {
  let end = at;
  while (end < text.length && ((classes[text.charCodeAt(end)] as number) & kinds) !== 0) end += 1;
  return end;
}

/** The number that two digits spell at `at`, or -1. */
export function twoDigits(text: string, at: number): number {
  return is(text, at, digit) && is(text, at + 1, digit)
    ? (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
    : -1;
}

/** Whether `text` spells the lower-case `name` between `start` and `end`, in any letter case. */
export function spells(text: string, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) {
    if ((text.charCodeAt(start + i) | 32) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/** Longest name, or part of a dotted one, in characters. Source: OData 4.01 ABNF, `odataIdentifier`. */
const longestName = 128;

/** The end of the name without dots at `from`; -1 where it is too long. */
export function endOfIdentifier(text: string, from: number): number {
  const end = skip(text, from, letter | digit);
  return end - from > longestName ? -1 : end;
}

/** The end of the dotted name at `from`, or -1. */
export function endOfName(text: string, from: number): number {
  let start = from;
  for (;;) {
    const end = skip(text, start, letter | digit);
    if (end - start > longestName) return -1;
    if (text.charCodeAt(end) !== 46) return end;
    start = end + 1;
    if (!is(text, start, letter)) return -1;
  }
}

/** The closing quote of a string that opens at `open`; -1 where there is none. Doubled quotes are skipped. */
export function closingQuote(text: string, open: number): number {
  let close = text.indexOf("'", open + 1);
  while (close >= 0 && text.charCodeAt(close + 1) === 39) close = text.indexOf("'", close + 2);
  return close;
}
