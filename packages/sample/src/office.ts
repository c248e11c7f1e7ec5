import type { Metro } from "./metros.ts";
import { officeEndings, officeWords } from "./names.ts";
import { type Place, placesOf } from "./places.ts";
import { combine, Random } from "./random.ts";
import type { System } from "./systems.ts";

/** A brokerage office of one system. */
export type Office = {
  readonly system: System;
  readonly number: number;
  readonly seed: number;
  readonly key: string;
  readonly mlsId: string;
  readonly name: string;
  readonly metro: Metro;
  readonly place: Place;
  /** Host name made from the office's name. */
  readonly host: string;
};

/** Number of offices that a system gains with each cohort of listings. */
export const officesPerCohort = 12;

const random = new Random();

/** Generates office `number` of a system, counted from 0. */
export function officeOf(system: System, number: number): Office {
  const seed = combine(system.seed ^ 0x0f, number);
  random.seed(seed);
  const metro = system.metros[(number % officesPerCohort) % system.metros.length] as Metro;
  const word = random.pick(officeWords);
  const ending = random.pick(officeEndings);
  return {
    system,
    number,
    seed,
    key: `${system.prefix}O${String(100_000 + number)}`,
    mlsId: `${system.prefix.slice(0, 1)}${1000 + number}`,
    name: `${word} ${ending}`,
    metro,
    place: random.pick(placesOf(metro)),
    host: `${word
      .toLowerCase()
      .normalize("NFD")
      .replaceAll(/[^a-z]/g, "")}.example.com`,
  };
}

/** Draws the number of an office of `cohort` in `metro`. */
export function officeNumberIn(system: System, cohort: number, metro: Metro, draw: Random): number {
  const first = system.metros.indexOf(metro);
  const count = Math.floor((officesPerCohort - 1 - first) / system.metros.length);
  return cohort * officesPerCohort + first + system.metros.length * draw.int(0, count);
}
