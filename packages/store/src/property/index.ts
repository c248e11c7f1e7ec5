/**
 * Physical properties, each of which several listings may be of.
 *
 * @module
 */
export { attributes, type Survivorship } from "./attributes.ts";
export {
  type Identities,
  type Identity,
  identitiesOf,
  isProvisionalId,
  provisionalIdOf,
} from "./identity.ts";
export { type PropertyReads, readProperty } from "./read-property.ts";
export type { PropertyView } from "./view.ts";
