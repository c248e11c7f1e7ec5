import { type EntityType, type EnumType, isEntityType, type PrimitiveType } from "../model/types.ts";

/**
 * Format options of records in a JSON response, for responses that cannot send the records as they are stored.
 * Plain data, so that it can be sent to a worker thread.
 */
export type RecordForm = {
  /**
   * True if `Edm.Int64` and `Edm.Decimal` are written as strings (`IEEE754Compatible`), so that clients do not
   * round them to doubles.
   */
  readonly ieee754: boolean;
  /**
   * `@odata.type` annotations by member, for the values whose type is not evident from their JSON: see {@link
   * typesOf}.
   */
  readonly types: Readonly<Record<string, string>>;
  /** Control information of each record; undefined unless the metadata is full. */
  readonly control?: RecordControl | undefined;
};

/**
 * Control information of an entity under `odata.metadata=full`. It has no edit link, because the data is read-only.
 */
export type RecordControl = {
  /** Qualified name of the entity type. */
  readonly typeName: string;
  /** Absolute URL of the collection. */
  readonly resource: string;
  /** Names of the key properties. They are in every record, for the links. */
  readonly keys: readonly string[];
  /** Names of the navigation properties, for their links. */
  readonly navigation: readonly string[];
  /** Names of the key properties that were not selected, so that they are not written as members. */
  readonly hidden: readonly string[];
  /** Further inputs of the ETag besides the text of the record: see `contentTag`. */
  readonly tagged: readonly string[];
};

const known = new WeakMap<EntityType, Readonly<Record<string, string>>>();

/** Returns the `@odata.type` annotations of an entity type's members, for members that need one. */
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

/** Returns the names of the navigation properties of an entity type. */
export const navigationNames = ({ structured = new Map() }: EntityType): readonly string[] =>
  [...structured.values()].filter(({ target }) => isEntityType(target())).map(({ name }) => name);

type Shape = {
  readonly type: PrimitiveType;
  readonly collection: boolean;
  readonly enumType?: EnumType | undefined;
};

/** Types that are evident from the JSON of a value. Source: OData JSON Format 4.01, section 4.5.3. */
const told: ReadonlySet<PrimitiveType> = new Set(["Edm.String", "Edm.Boolean"]);

function annotationOf({ type, collection, enumType }: Shape): string | undefined {
  const name = enumType?.name ?? type.slice("Edm.".length);
  if (collection) return `#Collection(${name})`;
  return enumType === undefined && told.has(type) ? undefined : `#${name}`;
}

/** Returns the `@odata.type` of a value in JSON; undefined if none is needed. */
export const typeAnnotation = (shape: Shape, value: string): string | undefined =>
  value === "null" && !shape.collection ? undefined : annotationOf(shape);

/** Types with numbers that may not fit in a double. Source: OData JSON Format 4.01, section 3.2. */
const exact = ["Int64", "Decimal"];

/** True if values with the annotation are texts, which URLs have in quotes. The names of enumerations are qualified, those of other types are not. */
export const isQuoted = (annotation: string | undefined): boolean =>
  annotation === undefined || annotation.includes(".");

/** True if values with the annotation are numbers that may not fit in a double. */
export const isExact = (annotation: string): boolean =>
  exact.some((name) => annotation === `#${name}` || annotation === `#Collection(${name})`);

/** A number with an exponent. */
const withExponent = /^(?<sign>-?)(?<whole>\d+)(?:\.(?<fraction>\d+))?e(?<exponent>[+-]?\d+)$/i;

/**
 * Removes the exponent of a number, `1.5e-7` → `0.00000015`, by moving digits, so that nothing is rounded to a
 * double. Returns other text unchanged.
 */
export function withoutExponent(text: string): string {
  const { sign = "", whole = "", fraction = "", exponent } = withExponent.exec(text)?.groups ?? {};
  if (exponent === undefined) return text;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, "0");
  const padded = digits.padStart(digits.length + Math.max(0, 1 - point), "0");
  const end = Math.max(1, point);
  return sign + padded.slice(0, end) + (end < padded.length ? `.${padded.slice(end)}` : "");
}

/** A number, alone or in an array. */
const numeral = /(?<=^|[[,])-?\d[^,\]]*/g;

/** Turns the numbers of a JSON value into strings: `[1,2.5e1]` → `["1","25"]`. */
export const quoteNumbers = (value: string): string =>
  value.replace(numeral, (found) => `"${withoutExponent(found)}"`);

/** Returns the JSON text of a value in the given format. */
export const writeValue = (shape: Shape, value: string, { ieee754 }: Pick<RecordForm, "ieee754">): string =>
  ieee754 && isExact(annotationOf(shape) ?? "") ? quoteNumbers(value) : value;

/** Returns a text as a value of a key in a URL. */
export const keyLiteral = (key: string): string => `'${encodeURIComponent(key.replaceAll("'", "''"))}'`;

/** Returns the value of a key in a URL, from its JSON text. @param isText true for `Edm.String`, which URLs have in quotes */
export function keyInUrl(text: string, isText: boolean): string {
  const value = text.startsWith('"') ? (JSON.parse(text) as string) : text;
  return isText ? keyLiteral(value) : encodeURIComponent(value);
}

/** Returns a key in parentheses, as the address of an entity ends. @param values as in a URL */
export const keyPredicate = (names: readonly string[], values: readonly string[]): string =>
  `(${names.length === 1 ? values[0] : names.map((name, i) => `${name}=${values[i]}`).join()})`;

/** Name of the member of a reference that holds the address of its entity. */
export const referenceName = "@odata.id";

/**
 * Returns the address of an entity relative to the service root, as a reference holds it. Source: OData JSON Format 4.01, section 14.
 *
 * @param key JSON texts of the values of its key, in order
 */
export function entityAddress(
  entitySet: string,
  { key: names, properties }: EntityType,
  key: readonly string[],
): string {
  const isInQuotes = (i: number) => properties.get(names[i] ?? "")?.type === "Edm.String";
  return `${entitySet}${keyPredicate(
    names,
    key.map((text, i) => keyInUrl(text, isInQuotes(i))),
  )}`;
}
