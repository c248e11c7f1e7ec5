/**
 * Declares entity sets: what clients see, and in which columns it lies.
 *
 * @module
 */
export { type SqlFragment, sql } from "@cadastre/odata";
export { type DeclaredModel, declareModel } from "./entity-model.ts";
export {
  type EntityOf,
  type EntitySetDeclaration,
  type EntitySetFacts,
  entitySet,
  many,
  type Navigation,
  one,
} from "./entity-set.ts";
export {
  bigInteger,
  boolean,
  collection,
  type DecimalStorage,
  date,
  decimal,
  double,
  enumeration,
  type GeoPoint,
  geographyPoint,
  guid,
  type InstantStorage,
  instant,
  integer,
  type PropertyDeclaration,
  single,
  smallInteger,
  text,
  timeOfDay,
} from "./property.ts";
