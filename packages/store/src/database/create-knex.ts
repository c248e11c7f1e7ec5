import type { Knex } from "knex";

/** Logger for knex that discards everything, because errors are thrown. */
export const silentKnexLogger: Knex.Logger = {
  warn: () => {},
  error: () => {},
  deprecate: () => {},
  debug: () => {},
};
