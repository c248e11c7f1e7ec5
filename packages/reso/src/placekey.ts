/** Digits of a where part. It has no vowels, so that few words result. Source: Placekey technical white paper, "Encoding". */
const alphabet = "23456789bcdfghjkmnpqrstvwxyz";

/** Length of a where part without its hyphens. */
const codeLength = 9;

const padding = "a";

/** Words to avoid and their replacements, in order. Source: placekey-py 0.0.x, `REPLACEMENT_MAP`. */
const standIns = [
  ["prn", "pre"],
  ["f4nny", "f4nne"],
  ["tw4t", "tw4e"],
  ["ngr", "ngu"],
  ["dck", "dce"],
  ["vjn", "vju"],
  ["fck", "fce"],
  ["pns", "pne"],
  ["sht", "she"],
  ["kkk", "kke"],
  ["fgt", "fgu"],
  ["dyk", "dye"],
  ["bch", "bce"],
] as const;

/** H3 resolution of the hexagons: sides of about 66 m. Source: Placekey technical white paper, "Where part". */
export const placekeyResolution = 10;

/** First digits of an H3 index of that resolution: mode and resolution. */
const cellStart = "8a";

/** The last 52 of an index's 64 bits: the base cell, which here counts from 1, and 15 digits of 3 bits, the last 3 of them unused. */
const [firstBaseCell, unused] = [2 ** 45, 2 ** 9];

/** Returns the where part, such as `5vg-82n-kzz`, of an H3 cell of {@link placekeyResolution}, given in hexadecimal digits. */
export function whereOfCell(cell: string): string {
  const bits = Number.parseInt(cell.slice(cellStart.length), 16);
  let code = digitsOf(Math.floor((bits + firstBaseCell) / unused));
  for (const [word, standIn] of standIns) code = code.replaceAll(word, standIn);
  code = code.padStart(codeLength, padding);
  return `${code.slice(0, 3)}-${code.slice(3, 6)}-${code.slice(6)}`;
}

/** Returns the H3 index that a where part encodes, even if no such cell exists; undefined if the text is not a where part. */
export function cellOfWhere(where: string): string | undefined {
  let code = where.replaceAll("-", "").replace(new RegExp(`^${padding}+`), "");
  for (const [word, standIn] of standIns.toReversed()) code = code.replaceAll(standIn, word);
  let location = 0;
  for (const digit of code) {
    const value = alphabet.indexOf(digit);
    if (value < 0) return undefined;
    location = location * alphabet.length + value;
  }
  const bits = location * unused - firstBaseCell + unused - 1;
  if (bits < 0 || bits >= 2 ** 52) return undefined;
  const cell = cellStart + bits.toString(16).padStart(13, "0");
  // Of several spellings only the canonical one is accepted.
  return whereOfCell(cell) === where ? cell : undefined;
}

function digitsOf(value: number): string {
  let text = "";
  for (let left = value; left > 0; left = Math.floor(left / alphabet.length))
    text = alphabet.charAt(left % alphabet.length) + text;
  return text;
}
