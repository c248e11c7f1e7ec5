/** Character classes of UTF-16 code units, as bit flags. Code units beyond ASCII belong to none. */
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

/** True if the code unit at `at` is in one of the classes. False past the end of the text. */
export function is(text: string, at: number, kinds: number): boolean {
  return at < text.length && ((classes[text.charCodeAt(at)] as number) & kinds) !== 0;
}

/** Returns the offset of the first code unit, from `at` on, that is in none of the classes. */
export function skip(text: string, at: number, kinds: number): number {
  let end = at;
  while (end < text.length && ((classes[text.charCodeAt(end)] as number) & kinds) !== 0) end += 1;
  return end;
}

/** Returns the value of the two digits at `at`; -1 if there are none. */
export function twoDigits(text: string, at: number): number {
  return is(text, at, digit) && is(text, at + 1, digit)
    ? (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48
    : -1;
}

/** True if `text` equals the lower-case `name` between `start` and `end`, in any letter case. */
export function spells(text: string, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) {
    if ((text.charCodeAt(start + i) | 32) !== name.charCodeAt(i)) return false;
  }
  return true;
}

/**
 * Maximum length of a name, or of a part of a dotted name, in characters. Source: OData 4.01 ABNF,
 * `odataIdentifier`.
 */
const longestName = 128;

/** Returns the end of the name without dots at `from`; -1 if it is too long. */
export function endOfIdentifier(text: string, from: number): number {
  const end = skip(text, from, letter | digit);
  return end - from > longestName ? -1 : end;
}

/** Returns the end of the dotted name at `from`; -1 if there is none. */
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

/**
 * Returns the offset of the quote that closes the string opened at `open`; -1 if there is none. Doubled quotes do
 * not close it.
 */
export function closingQuote(text: string, open: number): number {
  let close = text.indexOf("'", open + 1);
  while (close >= 0 && text.charCodeAt(close + 1) === 39) close = text.indexOf("'", close + 2);
  return close;
}
