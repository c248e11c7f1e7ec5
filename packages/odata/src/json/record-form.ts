import type { EntityType, PrimitiveType } from "../model/types.ts";
import { withoutExponent } from "./numeral.ts";

/** The JSON form of records where it is not the stored one. Plain data: it goes to another thread as it is. */
export type RecordForm = {
  /** True if `Edm.Int64` and `Edm.Decimal` are strings, which no reader takes for a double. */
  readonly ieee754: boolean;
  /** `@odata.type` of the values whose JSON does not tell it, by member: see {@link typesOf}. */
  readonly types: Readonly<Record<string, string>>;
  /** Control information of each record; undefined unless the metadata is full. */
  readonly control?: RecordControl | undefined;
};

/** Control information of an entity in a full answer. It has no edit link: nothing is changed here. */
export type RecordControl = {
  /** Qualified name of the entity type. */
  readonly typeName: string;
  /** Absolute address of the collection. */
  readonly resource: string;
  /** Name of the member that is the key. It is in every record, for the links. */
  readonly key: string;
  /** True if the key was selected, and is shown as a member too. */
  readonly showsKey: boolean;
  /** The pieces that an ETag is made of, beside the text of the record: see `contentTag`. */
  readonly tagged: readonly string[];
};

const known = new WeakMap<EntityType, Readonly<Record<string, string>>>();

/** Returns the annotations of an entity type's members that need one. */
export function typesOf(type: EntityType): Readonly<Record<string, string>> {
  const found = known.get(type) ?? Object.fromEntries(annotations(type));
  known.set(type, found);
  return found;
}

function* annotations({ properties }: EntityType): Generator<readonly [string, string]> {
  for (const [name, property] of properties) {
    const annotation = annotationOf(property);
    if (annotation !== undefined) yield [name, annotation];
  }
}

type Shape = { readonly type: PrimitiveType; readonly collection: boolean };

/** Types that a value in JSON tells itself. Source: OData JSON Format 4.01, section 4.5.3. */
const told: ReadonlySet<PrimitiveType> = new Set(["Edm.String", "Edm.Boolean"]);

function annotationOf({ type, collection }: Shape): string | undefined {
  const name = type.slice("Edm.".length);
  if (collection) return `#Collection(${name})`;
  return told.has(type) ? undefined : `#${name}`;
}

/** Returns the `@odata.type` of a value in JSON; undefined where it need not be said. */
export const typeAnnotation = (shape: Shape, value: string): string | undefined =>
  value === "null" && !shape.collection ? undefined : annotationOf(shape);

/** Types whose numbers a double may not hold. Source: OData JSON Format 4.01, section 3.2. */
const exact = ["Int64", "Decimal"];

/** True if values with the annotation are numbers that a double may not hold. */
export const isExact = (annotation: string): boolean =>
  exact.some((name) => annotation === `#${name}` || annotation === `#Collection(${name})`);

/** A number that stands alone or in an array. */
const numeral = /(?<=^|[[,])-?\d[^,\]]*/g;

/** `[1,2.5e1]` → `["1","25"]` */
export const quoteNumbers = (value: string): string =>
  value.replace(numeral, (found) => `"${withoutExponent(found)}"`);

/** JSON text of a value in the form. */
export const writeValue = (shape: Shape, value: string, { ieee754 }: Pick<RecordForm, "ieee754">): string =>
  ieee754 && isExact(annotationOf(shape) ?? "") ? quoteNumbers(value) : value;

/** A key as it stands in an address. Every key here is one string. */
export const keyLiteral = (key: string): string => `'${encodeURIComponent(key.replaceAll("'", "''"))}'`;
