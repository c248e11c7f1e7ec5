import type { BoundQuery } from "@cadastre/odata";

/**
 * Returns the query for the rows that follow a position.
 *
 * @param after values of the `orderBy` expressions in the last row before the position
 */
export const withPosition = (query: BoundQuery, after: BoundQuery["after"]): BoundQuery => ({
  ...query,
  after,
});

/** Returns the query for its first record only. */
export const firstOf = (query: BoundQuery): BoundQuery => ({ ...query, top: 1 });
