import type { GeoShape, Position } from "./tree.ts";

/** The contents of a geo literal, or the position of the first fault and what was expected there. */
export type GeoText =
  | { readonly srid: number; readonly shape: GeoShape }
  | { readonly fault: number; readonly expected: string };

let text = "";
let at = 0;
let limit = 0;
let fault = -1;
let expected = "";

const refuse = (what: string): null => {
  if (fault < 0) {
    fault = at;
    expected = what;
  }
  return null;
};

function skipSpaces(): void {
  while (at < limit && text.charCodeAt(at) === 32) at += 1;
}

function take(code: number): boolean {
  if (at < limit && text.charCodeAt(at) === code) {
    at += 1;
    return true;
  }
  return false;
}

/** Fifteen digits and powers of ten up to 22 are exact in a double, so their quotient is rounded only once. */
const exactDigits = 15;
const powersOfTen = Array.from({ length: 23 }, (_, power) => 10 ** power);

/** Converts the text from `start` to the current position to a number, which must be finite. */
function finite(start: number): number | null {
  const value = Number(text.slice(start, at));
  if (Number.isFinite(value)) return value;
  at = start;
  return refuse("a finite number");
}

function number(): number | null {
  const start = at;
  const negative = take(45);
  if (!negative) take(43);
  let mantissa = 0;
  let digits = 0;
  let fraction = 0;
  for (; at < limit; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    mantissa = mantissa * 10 + digit;
    digits += 1;
  }
  if (digits === 0) return refuse("a number");
  if (take(46)) {
    for (; at < limit; at += 1) {
      const digit = text.charCodeAt(at) - 48;
      if (digit < 0 || digit > 9) break;
      mantissa = mantissa * 10 + digit;
      fraction += 1;
    }
    if (fraction === 0) return refuse("a digit");
  }
  const letter = at < limit ? text.charCodeAt(at) | 32 : 0;
  if (letter === 101) {
    at += 1;
    if (!take(45)) take(43);
    const exponent = at;
    while (at < limit && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
    if (at === exponent) return refuse("a digit");
    return finite(start);
  }
  if (digits + fraction > exactDigits) return finite(start);
  const value = mantissa / (powersOfTen[fraction] as number);
  return negative ? -value : value;
}

/** Parses a position: longitude and latitude, or x and y, optionally followed by z and m. */
function position(): Position | null {
  const numbers: number[] = [];
  for (;;) {
    const value = number();
    if (value === null) return null;
    numbers.push(value);
    if (numbers.length === 4 || at >= limit || text.charCodeAt(at) !== 32) break;
    skipSpaces();
    const next = at < limit ? text.charCodeAt(at) : 0;
    if (next === 41 || next === 44) break;
  }
  return numbers.length < 2 ? refuse("a second coordinate") : numbers;
}

/** Parses `(item,item,…)`. */
function listOf<T>(item: () => T | null, mayBeEmpty: boolean): readonly T[] | null {
  if (!take(40)) return refuse("`(`");
  skipSpaces();
  const items: T[] = [];
  if (mayBeEmpty && take(41)) return items;
  for (;;) {
    const next = item();
    if (next === null) return null;
    items.push(next);
    skipSpaces();
    if (take(41)) return items;
    if (!take(44)) return refuse("`,` or `)`");
    skipSpaces();
  }
}

function only(): Position | null {
  const list = listOf(position, false);
  if (list === null) return null;
  return list.length === 1 && list[0] !== undefined ? list[0] : refuse("one position");
}

const line = (): readonly Position[] | null => listOf(position, false);

const isSame = (a: Position, b: Position): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/** Parses a ring: a line that ends where it begins. Source: OData 4.01 ABNF, `ringLiteral`. */
function ring(): readonly Position[] | null {
  const positions = line();
  const [first, last] = [positions?.[0], positions?.at(-1)];
  if (first === undefined || last === undefined || isSame(first, last)) return positions;
  at -= 1;
  return refuse("the first position of the ring again, which closes it");
}

const rings = (): readonly (readonly Position[])[] | null => listOf(ring, false);

type Shapes = { readonly [T in GeoShape["type"] as Lowercase<T>]: () => GeoShape | null };

const shapes: Shapes = {
  point() {
    const coordinates = only();
    return coordinates && { type: "Point", coordinates };
  },
  linestring() {
    const coordinates = line();
    return coordinates && { type: "LineString", coordinates };
  },
  polygon() {
    const coordinates = rings();
    return coordinates && { type: "Polygon", coordinates };
  },
  multipoint() {
    const coordinates = listOf(only, true);
    return coordinates && { type: "MultiPoint", coordinates };
  },
  multilinestring() {
    const coordinates = listOf(line, true);
    return coordinates && { type: "MultiLineString", coordinates };
  },
  multipolygon() {
    const coordinates = listOf(rings, true);
    return coordinates && { type: "MultiPolygon", coordinates };
  },
  geometrycollection() {
    depth += 1;
    const geometries = depth > deepestCollection ? refuse("a shallower collection") : listOf(shape, false);
    depth -= 1;
    return geometries && { type: "GeometryCollection", geometries };
  },
};

/** Maximum nesting of collections inside collections. Real data does not need any. */
const deepestCollection = 16;
let depth = 0;

function shape(): GeoShape | null {
  const start = at;
  while (at < limit && (text.charCodeAt(at) | 32) >= 97 && (text.charCodeAt(at) | 32) <= 122) at += 1;
  const name = text.slice(start, at).toLowerCase();
  if (Object.hasOwn(shapes, name)) return shapes[name as keyof Shapes]();
  at = start;
  return refuse("a shape such as `Point`");
}

const defaultSrid = { geography: 4326, geometry: 0 } as const;
const sridPrefix = /SRID=(\d{1,5});/iy;

/**
 * Parses `SRID=4326;Point(-118.2 34.0)` in `source` between `start` and `end`. Without an SRID, the default of the
 * family applies. Spaces are allowed after a comma.
 *
 * Source: OData 4.01 ABNF, `fullPointLiteral` and similar rules; CSDL 4.01, 7.2.6 (default SRID).
 */
export function parseGeo(
  source: string,
  start: number,
  end: number,
  family: "geography" | "geometry",
): GeoText {
  text = source;
  at = start;
  limit = end;
  fault = -1;
  depth = 0;
  sridPrefix.lastIndex = at;
  const prefix = sridPrefix.exec(source);
  let srid: number = defaultSrid[family];
  if (prefix !== null) {
    srid = Number(prefix[1]);
    at += prefix[0].length;
  }
  const found = shape();
  if (found === null) return { fault, expected };
  if (at < limit) return { fault: at, expected: "the end of the shape" };
  return { srid, shape: found };
}
