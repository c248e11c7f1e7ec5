import type { Knex } from "@cadastre/store/registry";

/** Tolerated difference between the clocks of two processes, in milliseconds. */
export const toleratedSkew = 600_000;

/**
 * Returns the condition that a time, in milliseconds since 1970, has passed. A time further ahead than `longest` counts as passed too: it
 * was set before the clock was set back, and nothing should wait for as long as the clock was ahead.
 *
 * @param at the present time
 * @param longest most milliseconds ahead that the time is ever set
 */
export const hasElapsed =
  (column: string, at: number | Knex.Raw, longest: number | Knex.Raw) =>
  (either: Knex.QueryBuilder): void => {
    either.where(column, "<=", at).orWhereRaw("?? - ? - ? > ?", [column, longest, toleratedSkew, at]);
  };
