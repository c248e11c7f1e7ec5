import type { BoundQuery } from "@cadastre/odata";

/** The query from another place on: what follows the row whose values of the order are `after`. */
export const startingAfter = (query: BoundQuery, after: BoundQuery["after"]): BoundQuery => ({
  ...query,
  after,
});

/** The query for its first record alone. */
export const firstOf = (query: BoundQuery): BoundQuery => ({ ...query, top: 1 });
