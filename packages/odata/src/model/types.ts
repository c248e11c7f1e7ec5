import type Big from "big.js";
import type { GeoShape } from "../syntax/tree.ts";

/** A point in time, and the offset from UTC in minutes that it was written with. */
export type Instant = {
  /** Picoseconds since 1970-01-01T00:00:00Z. */
  readonly picoseconds: bigint;
  readonly offset: number;
};

/**
 * The primitive types, each with the JavaScript value that stands for it in memory.
 * Source: OData CSDL 4.01, section 3.3.
 */
export type EdmValues = {
  readonly "Edm.String": string;
  readonly "Edm.Boolean": boolean;
  readonly "Edm.Byte": bigint;
  readonly "Edm.SByte": bigint;
  readonly "Edm.Int16": bigint;
  readonly "Edm.Int32": bigint;
  readonly "Edm.Int64": bigint;
  readonly "Edm.Decimal": Big;
  readonly "Edm.Single": number;
  readonly "Edm.Double": number;
  /** Days since 1970-01-01. */
  readonly "Edm.Date": number;
  readonly "Edm.DateTimeOffset": Instant;
  /** Picoseconds since midnight. */
  readonly "Edm.TimeOfDay": bigint;
  /** Picoseconds. */
  readonly "Edm.Duration": bigint;
  /** Lower case, with dashes. */
  readonly "Edm.Guid": string;
  /** Base64url without padding. */
  readonly "Edm.Binary": string;
  readonly "Edm.GeographyPoint": GeoShape;
  readonly "Edm.GeographyLineString": GeoShape;
  readonly "Edm.GeographyPolygon": GeoShape;
  readonly "Edm.GeographyMultiPoint": GeoShape;
  readonly "Edm.GeographyMultiLineString": GeoShape;
  readonly "Edm.GeographyMultiPolygon": GeoShape;
  readonly "Edm.GeographyCollection": GeoShape;
  readonly "Edm.GeometryPoint": GeoShape;
  readonly "Edm.GeometryLineString": GeoShape;
  readonly "Edm.GeometryPolygon": GeoShape;
  readonly "Edm.GeometryMultiPoint": GeoShape;
  readonly "Edm.GeometryMultiLineString": GeoShape;
  readonly "Edm.GeometryMultiPolygon": GeoShape;
  readonly "Edm.GeometryCollection": GeoShape;
};

export type PrimitiveType = keyof EdmValues;
export type CollectionType = `Collection(${PrimitiveType})`;
export type ValueType = PrimitiveType | CollectionType;

/** The JavaScript value of a type; collections may hold nulls but are never null themselves. */
export type ValueOf<T extends ValueType> = T extends PrimitiveType
  ? EdmValues[T]
  : T extends `Collection(${infer P extends PrimitiveType})`
    ? readonly (EdmValues[P] | null)[]
    : never;

/** A vocabulary annotation of the model, as it stands in `$metadata`. Source: OData CSDL 4.01, section 14. */
export type Annotation = {
  /** Qualified name of the term, such as `RESO.OData.Metadata.LookupName`. */
  readonly term: string;
  readonly value: string | number | boolean;
};

/** Names that a string property may hold, one or (flags) several of. Source: OData CSDL 4.01, section 10. */
export type EnumType = {
  /** Qualified name, as in a literal: `Sales.Pattern` of `Sales.Pattern'Yellow'`. */
  readonly name: string;
  readonly members: readonly string[];
  /** Whether a value may be several members, written with commas between. */
  readonly isFlags: boolean;
};

/** A property that holds a primitive value, or a collection of them. Source: OData CSDL 4.01, section 7. */
export type StructuralProperty = {
  readonly name: string;
  readonly type: PrimitiveType;
  /** Whether the value is a `Collection(type)`. A collection is never null. */
  readonly collection: boolean;
  readonly nullable: boolean;
  /** Longest value, in code points (strings) or bytes (binary). */
  readonly maxLength?: number;
  /** Significant digits of a decimal; digits of a fraction of a second. */
  readonly precision?: number;
  /** Digits right of the decimal point. */
  readonly scale?: number;
  /** Coordinate reference system of a geography; 4326 is WGS 84. */
  readonly srid?: number;
  /** For `Edm.String`: the enumeration whose member names are the values. */
  readonly enumType?: EnumType;
  readonly annotations?: readonly Annotation[];
  /** Properties that this one is computed from: who may not see those may not see it. */
  readonly derivedFrom?: readonly string[];
  /** Properties of the same record whose values this one contains, such as `City` in an address on one line. */
  readonly reveals?: readonly string[];
  /** Properties whose values this one may mention, such as `City` in remarks. Those of another resource are written `Property/City`. */
  readonly mayReveal?: readonly string[];
};

/** A property that leads to an entity or a complex value, or to a collection of them. */
export type StructuredProperty = {
  readonly name: string;
  /** Deferred, as types may refer to each other. */
  readonly target: () => StructuredType;
  readonly collection: boolean;
};

/** What an entity type and a complex type have in common. Source: OData CSDL 4.01, sections 6 and 9. */
export type StructuredType = {
  readonly name: string;
  readonly properties: ReadonlyMap<string, StructuralProperty>;
  /** Navigation properties, and properties of complex types. */
  readonly structured?: ReadonlyMap<string, StructuredProperty>;
};

/** Source: OData CSDL 4.01, section 6. */
export type EntityType = StructuredType & {
  /** Names of the key properties, in order. */
  readonly key: readonly string[];
  readonly annotations?: readonly Annotation[];
};

/** Source: OData CSDL 4.01, section 13.2. */
export type EntitySet = {
  readonly name: string;
  readonly type: EntityType;
  readonly annotations?: readonly Annotation[];
};

/** A schema with its entity container: what one `$metadata` document describes. */
export type EntityModel = {
  readonly namespace: string;
  readonly container: string;
  readonly entitySets: readonly EntitySet[];
};
