import type { Home } from "./homes.ts";

/** Whether a home is in the answer, said without any of the package. */
export type Truth = (home: Home) => boolean;

/** What a value that is not null has to be; of null nothing but null is true. */
export const is = <T>(value: T | null, truth: (value: T) => boolean): boolean =>
  value !== null && truth(value);
export const both = <A, B>(a: A | null, b: B | null, truth: (a: A, b: B) => boolean): boolean =>
  a !== null && b !== null && truth(a, b);
export const isNot = <T>(value: T | null, truth: (value: T) => boolean): boolean =>
  value === null || truth(value);

export const codePoints = (text: string): readonly string[] => Array.from(text);
