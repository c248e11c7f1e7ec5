import { latLngToCell } from "h3-js";
import { combine, hashText } from "./random.ts";

/** No vowels, so that few words arise. Source: Placekey technical white paper, "Encoding". */
const alphabet = "23456789bcdfghjkmnpqrstvwxyz";

/** Resolution of the hexagons: about 66 m to a side. Source: Placekey technical white paper, "Where part". */
const resolution = 10;

/** Length of a where part without its hyphens. */
const codeLength = 9;

/** Words to avoid and their stand-ins, in order. Source: placekey-py 0.0.x, `REPLACEMENT_MAP`. */
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

function digits(value: number): string {
  let text = "";
  for (let left = value; left > 0; left = Math.floor(left / alphabet.length)) {
    text = alphabet.charAt(left % alphabet.length) + text;
  }
  return text;
}

/** The where part, such as `5vg-82n-kzz`, of the hexagon that holds a point. */
export function wherePart(latitude: number, longitude: number): string {
  const cell = latLngToCell(latitude, longitude, resolution);
  // The last 52 of an index's 64 bits are the base cell, counted from 1, and 15 digits of 3 bits, the last 3 unused.
  const location = Math.floor((Number.parseInt(cell.slice(-13), 16) + 2 ** 45) / 2 ** 9);
  let code = digits(location);
  for (const [word, standIn] of standIns) {
    if (code.includes(word)) code = code.replaceAll(word, standIn);
  }
  code = code.padStart(codeLength, "a");
  return `${code.slice(0, 3)}-${code.slice(3, 6)}-${code.slice(6)}`;
}

/** The what part of an address: two groups of three, the same for the same text. */
export function whatPart(address: string): string {
  const bits = hashText(address);
  const more = combine(bits, address.length);
  const group = (n: number): string =>
    alphabet.charAt(n % 28) + alphabet.charAt((n >>> 8) % 28) + alphabet.charAt((n >>> 16) % 28);
  return `${group(bits)}-${group(more)}`;
}
