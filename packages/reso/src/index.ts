/**
 * RESO resources, fields and lookups, as data and as an entity model.
 *
 * @module
 */
export { type ResourceName, resoDdVersion, resourceNames } from "./dictionary.ts";
export { entityModel, entitySet } from "./entity-model.ts";
export type { Field } from "./field.ts";
export { lookupKey, lookupRows, type OwnLookupValue } from "./lookup-rows.ts";
export { type LookupValue, lookupNames, lookupValues } from "./lookups.ts";
export {
  type OriginatingSystem,
  type OriginatingSystemId,
  originatingSystems,
} from "./originating-systems.ts";
export { ownResourceNames, type RecordName } from "./own-resources.ts";
export { cellOfWhere, placekeyResolution, whereOfCell } from "./placekey.ts";
export { fieldsOf, type ResoResource, recordNames, resource } from "./resources.ts";
export { boundedStates, isInState } from "./state-bounds.ts";
export { isRoundedByDefault, valueRange } from "./value-rules.ts";
