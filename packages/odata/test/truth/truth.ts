import type { Home } from "./homes.ts";

/** The expected result of a filter for a home, implemented without the package under test. */
export type Truth = (home: Home) => boolean;

/** True if a value is not null and satisfies `truth`. */
export const is = <T>(value: T | null, truth: (value: T) => boolean): boolean =>
  value !== null && truth(value);
export const both = <A, B>(a: A | null, b: B | null, truth: (a: A, b: B) => boolean): boolean =>
  a !== null && b !== null && truth(a, b);
export const isNot = <T>(value: T | null, truth: (value: T) => boolean): boolean =>
  value === null || truth(value);

export const codePoints = (text: string): readonly string[] => Array.from(text);
