import { type Identities, type PropertyView, readProperty } from "@cadastre/store/property";
import type { Listings } from "../listings.ts";
import { systemScope } from "./system-scope.ts";

/**
 * Returns the property with an id, computed from all served listings. Undefined if there is none. Only for the operator's commands: no
 * entitlement is applied.
 */
export const servedProperty = (
  id: string,
  store: Pick<Listings, "page" | "catalog">,
  identities: Identities,
): Promise<PropertyView | undefined> =>
  readProperty(id, {
    store,
    entitySet: store.catalog.entitySet("Property"),
    scope: systemScope(store.catalog),
    identities,
  });
