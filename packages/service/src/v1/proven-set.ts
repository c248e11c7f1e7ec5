import type { Scope } from "@cadastre/entitlement";
import type { EntitySet } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import type { V1Services } from "./services.ts";

/**
 * Returns the entity set of listings, after checking that its build has passed the gates and that the scope restricts its rows.
 *
 * @throws {Refused} `service_unavailable` otherwise, because the answer could not be proven to be filtered
 */
export function requireFilteredListings(
  scope: Scope,
  { activeEntitySets }: Pick<V1Services, "activeEntitySets">,
): EntitySet {
  const listings = activeEntitySets.find(({ name }) => name === "Property");
  if (listings === undefined || !scope.restricts(listings.name)) throw new Refused("service_unavailable");
  return listings;
}
