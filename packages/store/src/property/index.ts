/**
 * Physical properties, each combined from one or several listings.
 *
 * @module
 */
export { attributes, type Survivorship } from "./attributes.ts";
export { changedProperties, endedProperties } from "./changed-properties.ts";
export { propertyColumns, propertyRow } from "./columns.ts";
export { type Identities, identitiesOf, isProvisionalId, provisionalIdOf } from "./identity.ts";
export { readListedId } from "./listed-id.ts";
export { type AllPropertyOptions, readProperties } from "./read-properties.ts";
export { type ChangedPropertyReads, presentPropertiesOf, readPropertiesOf } from "./read-properties-of.ts";
export { bindListingsOf, readProperty } from "./read-property.ts";
export type { PropertyView } from "./view.ts";
