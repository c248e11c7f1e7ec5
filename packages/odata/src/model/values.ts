import Big from "big.js";
import type { GeoShape } from "../syntax/tree.ts";
import {
  parseDate,
  parseDuration,
  parseInstant,
  parseTimeOfDay,
  printDate,
  printDuration,
  printInstant,
  printTimeOfDay,
} from "./temporal.ts";
import type { EdmValues, PrimitiveType } from "./types.ts";

/**
 * Codec of the values of one primitive type: reads them from literal text and from JSON, and writes them to JSON.
 */
type Codec<T> = {
  /**
   * Parses a literal's text, without prefix and quotes; returns undefined if the value is not in the type.
   */
  readonly parse: (text: string) => T | undefined;
  /** Reads a JSON value; returns undefined if it is not in the type. */
  readonly fromJson: (json: unknown) => T | undefined;
  readonly toJson: (value: T) => unknown;
};

const integerPattern = /^[+-]?\d+$/;
/** Limited to the number of digits that a database can hold. */
const decimalPattern = /^[+-]?\d{1,30000}(?:\.\d{1,6000})?(?:e[+-]?\d{1,4})?$/i;
const guidPattern = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;
/** Base64url whose last character has no bits beyond those of the last byte. */
const binaryPattern = /^(?:[\w-]{4})*(?:[\w-][AQgw](?:==)?|[\w-]{2}[AEIMQUYcgkosw048]=?)?$/;
/** Stored values may have any bits there. */
const storedBinaryPattern = /^[\w-]*={0,2}$/;

function integer(least: bigint, greatest: bigint): Codec<bigint> {
  const within = (value: bigint) => (value >= least && value <= greatest ? value : undefined);
  const parse = (text: string) => (integerPattern.test(text) ? within(BigInt(text)) : undefined);
  return {
    parse,
    fromJson: (json) => {
      if (typeof json === "bigint") return within(json);
      if (typeof json === "number") return Number.isInteger(json) ? within(BigInt(json)) : undefined;
      return typeof json === "string" ? parse(json) : undefined;
    },
    toJson: (value) => {
      const number = Number(value);
      return Number.isSafeInteger(number) ? number : value;
    },
  };
}

const specialNumbers: ReadonlyMap<unknown, number> = new Map([
  ["INF", Number.POSITIVE_INFINITY],
  ["-INF", Number.NEGATIVE_INFINITY],
  ["NaN", Number.NaN],
]);

function parseDouble(text: string): number | undefined {
  return specialNumbers.get(text) ?? (decimalPattern.test(text) ? Number(text) : undefined);
}

function floatingPoint(round: (value: number) => number): Codec<number> {
  const parse = (text: string) => {
    const value = parseDouble(text);
    return value === undefined ? undefined : round(value);
  };
  return {
    parse,
    fromJson: (json) => {
      if (typeof json === "number") return round(json);
      return typeof json === "string" ? parse(json) : undefined;
    },
    toJson: (value) => {
      if (Number.isFinite(value)) return value;
      return Number.isNaN(value) ? "NaN" : value > 0 ? "INF" : "-INF";
    },
  };
}

/** Codec of a type whose JSON form is the text of its literals. */
const textual = <T>(parse: (text: string) => T | undefined, print: (value: T) => string): Codec<T> => ({
  parse,
  fromJson: (json) => (typeof json === "string" ? parse(json) : undefined),
  toJson: print,
});

const identity = (text: string): string => text;
const unpadded = (text: string): string => text.replace(/=+$/, "");

const parseDecimal = (text: string): Big | undefined =>
  decimalPattern.test(text) ? new Big(text.replace("+", "")) : undefined;

/**
 * Codec of shapes of one type, in GeoJSON. Literals of shapes are parsed with the rest of the syntax, not here.
 */
const shape = (type: GeoShape["type"]): Codec<GeoShape> => ({
  parse: () => undefined,
  fromJson: (json) => (isShape(json, type) ? json : undefined),
  toJson: (value) => value,
});

function isShape(json: unknown, type: GeoShape["type"]): json is GeoShape {
  if (typeof json !== "object" || json === null || !("type" in json) || json.type !== type) return false;
  if (type === "GeometryCollection") return "geometries" in json && Array.isArray(json.geometries);
  return "coordinates" in json && isPositions(json.coordinates, depths[type]);
}

/** Nesting depth of the positions of each shape. */
const depths = {
  Point: 0,
  LineString: 1,
  MultiPoint: 1,
  Polygon: 2,
  MultiLineString: 2,
  MultiPolygon: 3,
} as const satisfies Record<Exclude<GeoShape["type"], "GeometryCollection">, number>;

function isPositions(json: unknown, depth: number): boolean {
  if (!Array.isArray(json)) return false;
  if (depth > 0) return json.every((item) => isPositions(item, depth - 1));
  return json.length >= 2 && json.every((n) => typeof n === "number" && Number.isFinite(n));
}

/** Source: OData JSON Format 4.01, section 7.1, and the ABNF's primitive literals. */
export const codecs: { readonly [T in PrimitiveType]: Codec<EdmValues[T]> } = {
  "Edm.String": textual(identity, identity),
  "Edm.Boolean": {
    parse: (text) => (/^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined),
    fromJson: (json) => (typeof json === "boolean" ? json : undefined),
    toJson: (value) => value,
  },
  "Edm.Byte": integer(0n, 255n),
  "Edm.SByte": integer(-128n, 127n),
  "Edm.Int16": integer(-32_768n, 32_767n),
  "Edm.Int32": integer(-2_147_483_648n, 2_147_483_647n),
  "Edm.Int64": integer(-(2n ** 63n), 2n ** 63n - 1n),
  "Edm.Decimal": {
    parse: parseDecimal,
    fromJson: (json) => {
      if (typeof json === "number") return Number.isFinite(json) ? new Big(json) : undefined;
      if (typeof json === "bigint") return new Big(json.toString());
      if (json instanceof Big) return json;
      return typeof json === "string" ? parseDecimal(json) : undefined;
    },
    toJson: (value) => value.toNumber(),
  },
  "Edm.Single": floatingPoint(Math.fround),
  "Edm.Double": floatingPoint((value) => value),
  "Edm.Date": textual(parseDate, printDate),
  "Edm.DateTimeOffset": {
    parse: parseInstant,
    fromJson: (json) => parseInstant(json instanceof Date ? json.toISOString() : String(json)),
    toJson: printInstant,
  },
  "Edm.TimeOfDay": textual(parseTimeOfDay, printTimeOfDay),
  "Edm.Duration": textual(parseDuration, printDuration),
  "Edm.Guid": textual((text) => (guidPattern.test(text) ? text.toLowerCase() : undefined), identity),
  "Edm.Binary": {
    parse: (text) => (binaryPattern.test(text) ? unpadded(text) : undefined),
    fromJson: (json) =>
      typeof json === "string" && storedBinaryPattern.test(json) ? unpadded(json) : undefined,
    toJson: identity,
  },
  "Edm.GeographyPoint": shape("Point"),
  "Edm.GeographyLineString": shape("LineString"),
  "Edm.GeographyPolygon": shape("Polygon"),
  "Edm.GeographyMultiPoint": shape("MultiPoint"),
  "Edm.GeographyMultiLineString": shape("MultiLineString"),
  "Edm.GeographyMultiPolygon": shape("MultiPolygon"),
  "Edm.GeographyCollection": shape("GeometryCollection"),
  "Edm.GeometryPoint": shape("Point"),
  "Edm.GeometryLineString": shape("LineString"),
  "Edm.GeometryPolygon": shape("Polygon"),
  "Edm.GeometryMultiPoint": shape("MultiPoint"),
  "Edm.GeometryMultiLineString": shape("MultiLineString"),
  "Edm.GeometryMultiPolygon": shape("MultiPolygon"),
  "Edm.GeometryCollection": shape("GeometryCollection"),
};

/** Returns the codec of a type, untyped. */
export const codecOf = (type: PrimitiveType): Codec<unknown> => codecs[type] as Codec<unknown>;
