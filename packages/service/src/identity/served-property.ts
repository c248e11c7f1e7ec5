import { entitySet } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import { type Identities, type PropertyView, readProperty } from "@cadastre/store/property";
import { systemScope } from "./system-scope.ts";

/**
 * Returns the property with an id, computed from all served listings. Undefined if there is none. Only for the operator's commands: no
 * entitlement is applied.
 */
export const servedProperty = (
  id: string,
  store: Pick<Store, "page">,
  identities: Identities,
): Promise<PropertyView | undefined> =>
  readProperty(id, { store, entitySet: entitySet("Property"), scope: systemScope(), identities });
