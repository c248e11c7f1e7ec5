import { placekeyResolution, whereOfCell } from "@cadastre/reso";
import { latLngToCell } from "h3-js";
import { combine, hashText } from "./random.ts";

/** Digits of a Placekey's what part: the same as those of its where part. */
const alphabet = "23456789bcdfghjkmnpqrstvwxyz";

/** Returns the where part, such as `5vg-82n-kzz`, of the hexagon that contains a point. */
export const wherePart = (latitude: number, longitude: number): string =>
  whereOfCell(latLngToCell(latitude, longitude, placekeyResolution));

/** Returns a made-up what part for an address: two groups of three digits, the same for the same text. */
export function whatPart(address: string): string {
  const bits = hashText(address);
  const more = combine(bits, address.length);
  const group = (n: number): string =>
    alphabet.charAt(n % 28) + alphabet.charAt((n >>> 8) % 28) + alphabet.charAt((n >>> 16) % 28);
  return `${group(bits)}-${group(more)}`;
}
