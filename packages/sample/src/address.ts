import { streetNames, streetSuffixes } from "./names.ts";
import type { Place } from "./places.ts";
import type { Random } from "./random.ts";

/** A street address in a real city, on an invented street. */
export type SampleAddress = {
  readonly number: number;
  readonly directionPrefix: string | undefined;
  readonly street: string;
  readonly suffix: string | undefined;
  readonly unit: string | undefined;
  /** The address on one line, without the country. */
  readonly text: string;
};

const directions = ["N", "S", "E", "W", "NE", "NW", "SE", "SW"] as const;

/** Draws a house number. Low numbers are more frequent. */
const houseNumber = (random: Random): number => 1 + Math.floor(19_998 * random.unit() * random.unit());

/** Draws an address in `place`. Set `inUnits` if the building has several doors. */
export function addressIn(place: Place, inUnits: boolean, random: Random): SampleAddress {
  const number = houseNumber(random);
  const directionPrefix = random.chance(0.22) ? random.pick(directions) : undefined;
  const street = random.pick(streetNames);
  const suffix =
    street.includes("Road ") || street.includes(" to ") ? undefined : random.pickEarly(streetSuffixes);
  const unit = inUnits && random.chance(0.9) ? unitNumber(random) : undefined;
  const line = [number, directionPrefix, street, suffix].filter((part) => part !== undefined).join(" ");
  return {
    number,
    directionPrefix,
    street,
    suffix,
    unit,
    text: `${line}${unit === undefined ? "" : ` #${unit}`}, ${place.city}, ${place.state} ${place.zip}`,
  };
}

function unitNumber(random: Random): string {
  const number = random.int(1, 24) * 100 + random.int(1, 24);
  return random.chance(0.3)
    ? `${String.fromCharCode(65 + random.int(0, 5))}-${number % 100}`
    : String(number);
}
