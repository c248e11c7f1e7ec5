import type { PrimitiveType, SqlFragment, StructuralProperty } from "@cadastre/odata";
import type { Annotation } from "@cadastre/odata/run";

/** How instants may be stored where the database has no type for them. */
export type InstantStorage = "iso-text" | "iso-text-seconds" | "milliseconds" | "seconds";

/** How decimals may be stored where the database has no type for them: as an integer of the smallest unit, or as a double. */
export type DecimalStorage = "scaled-integer" | "double";

/** Facts of a property, see {@link StructuralProperty}. */
type PropertyFacts = Omit<StructuralProperty, "name">;

/** The column of a property: its name, or an SQL expression over the columns of the table. */
type ColumnSource = string | SqlFragment;

/**
 * A property of an entity set, and the column it is in. `Value` is the TypeScript type of its JSON form, `Nullable` true if it may be null.
 */
export type PropertyDeclaration<Value = unknown, Nullable extends boolean = boolean> = {
  readonly facts: PropertyFacts;
  /** Undefined: the column has the name of the property. */
  readonly source: ColumnSource | undefined;
  /** How the column stores an instant or a decimal, if that was stated. */
  readonly storage: InstantStorage | DecimalStorage | undefined;
  /** The property in the column of this name, or as the value of this SQL expression. */
  readonly column: (source: ColumnSource) => PropertyDeclaration<Value, Nullable>;
  /** The property without the guarantee that it has a value. */
  readonly nullable: () => PropertyDeclaration<Value | null, true>;
  /** The property with annotations in `$metadata`. */
  readonly annotated: (...annotations: readonly Annotation[]) => PropertyDeclaration<Value, Nullable>;
  /** Never set; carries the type. */
  readonly valueType?: Value;
};

function define<Value, Nullable extends boolean>(
  facts: PropertyFacts,
  source: PropertyDeclaration["source"],
  storage: PropertyDeclaration["storage"],
): PropertyDeclaration<Value, Nullable> {
  return {
    facts,
    source,
    storage,
    column: (given) => define(facts, given, storage),
    nullable: () => {
      if (facts.collection) throw new TypeError("a collection is never null: it may be empty");
      return define({ ...facts, nullable: true }, source, storage);
    },
    annotated: (...annotations) => define({ ...facts, annotations }, source, storage),
  };
}

const primitive = <Value>(
  type: PrimitiveType,
  facets: Partial<PropertyFacts> = {},
  storage?: PropertyDeclaration["storage"],
): PropertyDeclaration<Value, false> =>
  define<Value, false>({ type, collection: false, nullable: false, ...facets }, undefined, storage);

/** Edm.String. @param maxLength maximum length in code points */
export const text = (maxLength?: number): PropertyDeclaration<string, false> =>
  primitive("Edm.String", maxLength === undefined ? {} : { maxLength });

/** Edm.Boolean: in SQLite 0 and 1, in PostgreSQL `boolean`. */
export const boolean = (): PropertyDeclaration<boolean, false> => primitive("Edm.Boolean");

/** Edm.Int16 */
export const smallInteger = (): PropertyDeclaration<number, false> => primitive("Edm.Int16");

/** Edm.Int32 */
export const integer = (): PropertyDeclaration<number, false> => primitive("Edm.Int32");

/** Edm.Int64. Answers have every digit; a reader that parses JSON numbers as doubles rounds those beyond 2^53. */
export const bigInteger = (): PropertyDeclaration<number, false> => primitive("Edm.Int64");

/** Edm.Double: in SQLite `real`, in PostgreSQL `float8`. */
export const double = (): PropertyDeclaration<number, false> => primitive("Edm.Double");

/** Edm.Single: in SQLite `real`, in PostgreSQL `float4`. */
export const single = (): PropertyDeclaration<number, false> => primitive("Edm.Single");

/**
 * Edm.Decimal: in PostgreSQL `numeric`. SQLite has no decimals, so how they are stored must be stated: `scaled-integer` (an integer of the
 * smallest unit, such as cents, which is exact) or `double` (15 significant digits).
 *
 * @param precision maximum number of significant digits; by default any
 * @param scale digits right of the point; by default any
 */
export const decimal = (
  precision?: number,
  scale?: number,
  storage?: DecimalStorage,
): PropertyDeclaration<number, false> =>
  primitive(
    "Edm.Decimal",
    { ...(precision === undefined ? {} : { precision }), ...(scale === undefined ? {} : { scale }) },
    storage,
  );

/** Edm.Date: in SQLite text, `2026-03-01`; in PostgreSQL `date`. */
export const date = (): PropertyDeclaration<string, false> => primitive("Edm.Date");

/** Edm.TimeOfDay: in SQLite text, `08:30:00.5` without trailing zeros; in PostgreSQL `time`. */
export const timeOfDay = (): PropertyDeclaration<string, false> =>
  primitive("Edm.TimeOfDay", { precision: 6 });

/**
 * Edm.DateTimeOffset: in PostgreSQL `timestamptz`. SQLite has no instants, so how they are stored must be stated: `iso-text`
 * (`2026-03-01T08:30:00.000Z`, always with milliseconds), `iso-text-seconds` (`2026-03-01T08:30:00Z`), `milliseconds` or `seconds` since
 * 1970.
 */
export const instant = (storage?: InstantStorage): PropertyDeclaration<string, false> =>
  primitive("Edm.DateTimeOffset", { precision: secondsDigits[storage ?? "timestamptz"] }, storage);

/** Digits after the point of seconds that each kind of column holds. */
const secondsDigits: Readonly<Record<InstantStorage | "timestamptz", number>> = {
  timestamptz: 6,
  "iso-text": 3,
  milliseconds: 3,
  "iso-text-seconds": 0,
  seconds: 0,
};

/** Edm.Guid: in SQLite text in lower case; in PostgreSQL `uuid`. */
export const guid = (): PropertyDeclaration<string, false> => primitive("Edm.Guid");

/** Edm.GeographyPoint: GeoJSON, in SQLite as text, in PostgreSQL as `jsonb`. */
export const geographyPoint = (): PropertyDeclaration<GeoPoint, false> =>
  primitive("Edm.GeographyPoint", { srid: 4326 });

/** A point in GeoJSON: longitude, then latitude. */
export type GeoPoint = { readonly type: "Point"; readonly coordinates: readonly [number, number] };

/**
 * Edm.String with the members of an enumeration as its values.
 *
 * @param name qualified name, as in literals, such as `Office.Status`
 */
export const enumeration = <Member extends string>(
  name: string,
  members: readonly Member[],
): PropertyDeclaration<Member, false> =>
  primitive("Edm.String", { enumType: { name, members, isFlags: false } });

/** A collection: a JSON array, in SQLite as text, in PostgreSQL as `jsonb`. Null in the column is an empty collection. */
export function collection<Value>(
  item: PropertyDeclaration<Value, false>,
): PropertyDeclaration<readonly Value[], false> {
  if (item.facts.collection) throw new TypeError("a collection of collections is not possible");
  return define<readonly Value[], false>({ ...item.facts, collection: true }, undefined, item.storage);
}
