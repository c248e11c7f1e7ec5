/**
 * RESO resources, fields and lookups, as data and as an entity model.
 *
 * @module
 */
export { type Catalog, createCatalog, dictionaryCatalog } from "./catalog.ts";
export { CatalogError, type CatalogFault, pathText } from "./catalog-error.ts";
export type { FieldFacts, LookupStatus, LookupTable } from "./data.ts";
export {
  type CatalogDefinition,
  emptyDefinition,
  type LocalField,
  type LocalResource,
  localResources,
  localTypes,
  type OriginatingSystem,
} from "./definition.ts";
export { type Dictionary, type DictionaryAdditions, recordNames } from "./dictionary.ts";
export { type ResourceName, resourceNames } from "./dictionary-data.ts";
export type { Field } from "./field.ts";
export { issueWords } from "./issue-words.ts";
export {
  type LookupRow,
  type Lookups,
  type LookupValue,
  legacyValueOf,
  type OwnLookupValue,
} from "./lookups.ts";
export { navigations, type ResourceNavigation } from "./navigation.ts";
export { ownResourceNames, type RecordName } from "./own-resources.ts";
export { cellOfWhere, placekeyResolution, whereOfCell } from "./placekey.ts";
export { readDefinition } from "./read-definition.ts";
export { readDictionary } from "./read-dictionary.ts";
export { coreFields, keyFieldOf, type ResoResource } from "./resources.ts";
export { boundedStates, isInState } from "./state-bounds.ts";
export { requireSuccessor } from "./successor.ts";
export { isRoundedByDefault, valueRange } from "./value-rules.ts";
