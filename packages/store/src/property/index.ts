/**
 * Physical properties, each combined from one or several listings.
 *
 * @module
 */
export { attributes, type Survivorship } from "./attributes.ts";
export {
  type ChangedPropertyReads,
  changedProperties,
  readPropertiesOf,
} from "./changed-properties.ts";
export { propertyColumns, propertyRow } from "./columns.ts";
export {
  type Identities,
  type Identity,
  identitiesOf,
  isProvisionalId,
  provisionalIdOf,
} from "./identity.ts";
export { type ListedId, readListedId } from "./listed-id.ts";
export { type AllPropertyOptions, type AllPropertyReads, readProperties } from "./read-properties.ts";
export { bindListingsOf, type PropertyReads, readProperty } from "./read-property.ts";
export type { PropertyView } from "./view.ts";
