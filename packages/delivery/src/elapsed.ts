import type { Knex } from "@cadastre/store/registry";

/** Difference between the clocks of two processes that is put up with, in milliseconds. */
export const toleratedSkew = 600_000;

/**
 * The condition that a time, in milliseconds since 1970, has come; or that it lies further ahead than it is ever set, so that the clock was
 * set back since. Nothing waits for the time that a clock was ahead.
 *
 * @param at the present time
 * @param longest milliseconds ahead that the time is set at most
 */
export const hasElapsed =
  (column: string, at: number | Knex.Raw, longest: number | Knex.Raw) =>
  (either: Knex.QueryBuilder): void => {
    either.where(column, "<=", at).orWhereRaw("?? - ? - ? > ?", [column, longest, toleratedSkew, at]);
  };
