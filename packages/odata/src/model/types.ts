import type Big from "big.js";
import type { GeoShape } from "../syntax/tree.ts";

/** A point in time, and the UTC offset in minutes that it was written with. */
export type Instant = {
  /** Picoseconds since 1970-01-01T00:00:00Z. */
  readonly picoseconds: bigint;
  readonly offset: number;
};

/**
 * The primitive types, each with the JavaScript type of its values in memory. Source: OData CSDL 4.01, section 3.3.
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

/** The JavaScript type of the values of `T`. Collections may contain nulls but are never null themselves. */
export type ValueOf<T extends ValueType> = T extends PrimitiveType
  ? EdmValues[T]
  : T extends `Collection(${infer P extends PrimitiveType})`
    ? readonly (EdmValues[P] | null)[]
    : never;

/** A constant, or a collection of texts. */
type AnnotationConstant = string | number | boolean | readonly string[];

/** A vocabulary annotation, as it appears in `$metadata`. Source: OData CSDL 4.01, section 14. */
export type Annotation = {
  /** Qualified name of the term, such as `RESO.OData.Metadata.LookupName`. */
  readonly term: string;
  /** A record has its values by the names of its properties. */
  readonly value: AnnotationConstant | Readonly<Record<string, AnnotationConstant>>;
};

/**
 * An enumeration: names that a string property may hold, one or (if `isFlags`) several of them. Source: OData CSDL
 * 4.01, section 10.
 */
export type EnumType = {
  /** Qualified name, as in a literal: `Sales.Pattern` of `Sales.Pattern'Yellow'`. */
  readonly name: string;
  readonly members: readonly string[];
  /**
   * Underlying numbers of the members, in the order of `members`. Without them the members are 0, 1, 2, … or, of
   * flags, 1, 2, 4, …. Numbers of flags have no bit in common.
   */
  readonly values?: readonly (number | bigint)[];
  /**
   * True if a value may combine several members, separated by commas. A column holds them in the order of `members`.
   */
  readonly isFlags: boolean;
};

/**
 * A property whose value is primitive, or a collection of primitive values. Source: OData CSDL 4.01, section 7.
 */
export type StructuralProperty = {
  readonly name: string;
  readonly type: PrimitiveType;
  /** True if the type is `Collection(type)`. A collection is never null. */
  readonly collection: boolean;
  readonly nullable: boolean;
  /** Maximum length, in code points (strings) or bytes (binary). */
  readonly maxLength?: number;
  /** Significant digits of a decimal; fractional digits of the seconds of a time. */
  readonly precision?: number;
  /** Digits right of the decimal point. */
  readonly scale?: number;
  /** Coordinate reference system of a geography; 4326 is WGS 84. */
  readonly srid?: number;
  /** For `Edm.String`: the enumeration whose member names are the values. */
  readonly enumType?: EnumType;
  readonly annotations?: readonly Annotation[];
  /** Properties that this one is computed from. A user who may not see them may not see this one either. */
  readonly derivedFrom?: readonly string[];
  /** Properties of the same record whose values this one contains, such as `City` in an address on one line. */
  readonly reveals?: readonly string[];
  /** Properties whose values this one may mention, such as `City` in remarks. Those of another resource are written `Property/City`. */
  readonly mayReveal?: readonly string[];
};

/** A property whose value is an entity or a complex value, or a collection of either. */
export type StructuredProperty = {
  readonly name: string;
  /** A function, because types may refer to each other. */
  readonly target: () => StructuredType;
  readonly collection: boolean;
  /**
   * Own property → property of the target that has the same value: the referential constraints of a navigation property to one entity.
   * Source: OData CSDL 4.01, section 8.5.
   */
  readonly constraints?: Readonly<Record<string, string>>;
  /** Name of the navigation property of the target that leads back. Source: OData CSDL 4.01, section 8.4. */
  readonly partner?: string;
};

/** Common part of entity types and complex types. Source: OData CSDL 4.01, sections 6 and 9. */
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

/** True for the type of entities, which navigation properties lead to; false for one of complex values. */
export const isEntityType = (type: StructuredType): type is EntityType => "key" in type;

/** Source: OData CSDL 4.01, section 13.2. */
export type EntitySet = {
  readonly name: string;
  readonly type: EntityType;
  readonly annotations?: readonly Annotation[];
};

/** A schema with its entity container, as described by one `$metadata` document. */
export type EntityModel = {
  readonly namespace: string;
  readonly container: string;
  readonly entitySets: readonly EntitySet[];
};
