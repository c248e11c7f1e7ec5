import { placekeyResolution, whereOfCell } from "@cadastre/reso";
import { latLngToCell } from "h3-js";
import { combine, hashText } from "./random.ts";

/** The digits of a what part: those of a where part. */
const alphabet = "23456789bcdfghjkmnpqrstvwxyz";

/** The where part, such as `5vg-82n-kzz`, of the hexagon that holds a point. */
export const wherePart = (latitude: number, longitude: number): string =>
  whereOfCell(latLngToCell(latitude, longitude, placekeyResolution));

/** The what part of an address: two groups of three, the same for the same text. */
export function whatPart(address: string): string {
  const bits = hashText(address);
  const more = combine(bits, address.length);
  const group = (n: number): string =>
    alphabet.charAt(n % 28) + alphabet.charAt((n >>> 8) % 28) + alphabet.charAt((n >>> 16) % 28);
  return `${group(bits)}-${group(more)}`;
}
