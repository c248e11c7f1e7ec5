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
