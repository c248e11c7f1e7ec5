import { entitySet } from "@cadastre/reso";
import type { Store } from "@cadastre/store";
import { type Identities, type PropertyView, readProperty } from "@cadastre/store/property";
import { systemScope } from "../gates/scopes.ts";

/** The property that goes by an id, from every listing that is served; undefined if there is none. For the operator alone. */
export const servedProperty = (
  id: string,
  store: Pick<Store, "page">,
  identities: Identities,
): Promise<PropertyView | undefined> =>
  readProperty(id, { store, entitySet: entitySet("Property"), scope: systemScope(), identities });
