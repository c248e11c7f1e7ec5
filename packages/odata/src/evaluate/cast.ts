import Big from "big.js";
import type { BoundType } from "../bound/tree.ts";
import { itemType } from "../bound/typing.ts";
import { type EdmNumber, toBig } from "../model/numbers.ts";
import { picosecondsPerMinute, printInstant, splitInstant } from "../model/temporal.ts";
import type { Instant, PrimitiveType, ValueType } from "../model/types.ts";
import { codecOf } from "../model/values.ts";
import { dateOrNull, instantOrNull } from "./bounds.ts";

/**
 * Converts a value to another type; returns null if that type cannot represent it. Source: OData 4.01 URL
 * Conventions, section 5.1.1.10.1.
 */
export function cast(value: unknown, from: BoundType, to: ValueType): unknown {
  if (from === to) return value;
  if (Array.isArray(value)) {
    const [fromItem, toItem] = [item(from), item(to)];
    return value.map((one: unknown) => (one === null ? null : cast(one, fromItem, toItem)));
  }
  const type = to as PrimitiveType;
  if (type === "Edm.String") return text(value, from);
  if (typeof value === "string") return read(value, type);
  if (isInstant(value)) return partOf(value, type);
  if (type === "Edm.Decimal") return decimal(value as EdmNumber);
  if (type === "Edm.Single") return Math.fround(Number(value));
  if (type === "Edm.Double") return Number(value);
  return codecOf(type).fromJson(whole(value as EdmNumber)) ?? null;
}

/**
 * Parses the text of a literal; returns null if it is malformed or outside the range of databases. The offset of an
 * instant is dropped, because databases do not store it.
 */
function read(literal: string, type: PrimitiveType): unknown {
  const value = codecOf(type).parse(literal) ?? null;
  if (value === null) return null;
  if (type === "Edm.Date") return dateOrNull(value as number);
  return type === "Edm.DateTimeOffset" ? instantOrNull({ ...(value as Instant), offset: 0 }) : value;
}

const item = (type: BoundType) => itemType(type) as PrimitiveType;

const isInstant = (value: unknown): value is Instant =>
  typeof value === "object" && value !== null && "picoseconds" in value;

/** Returns the text of the literal, without prefix and quotes. */
function text(value: unknown, from: BoundType): string {
  if (value instanceof Big) return value.toFixed();
  return isInstant(value) ? printInstant(value) : String(codecOf(from as PrimitiveType).toJson(value));
}

function partOf(value: Instant, type: PrimitiveType): unknown {
  const { days, time } = splitInstant(value.picoseconds + BigInt(value.offset) * picosecondsPerMinute);
  return type === "Edm.Date" ? days : time;
}

const decimal = (value: EdmNumber) =>
  typeof value === "number" && !Number.isFinite(value) ? null : toBig(value);

/** Truncates a number to an integer. */
function whole(value: EdmNumber): bigint | null {
  const exact = decimal(value);
  return exact === null ? null : BigInt(exact.round(0, Big.roundDown).toFixed());
}

/** True if a value of type `from` also lies in type `of`. */
export const isOf = (value: unknown, from: BoundType, of: PrimitiveType): boolean =>
  from === of ||
  (isNumber(value) && cast(value, from, of) !== null && sameNumber(value, cast(value, from, of)));

const isNumber = (value: unknown): value is EdmNumber =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Big;

function sameNumber(a: EdmNumber, b: unknown): boolean {
  const [x, y] = [decimal(a), isNumber(b) ? decimal(b) : null];
  return x !== null && y !== null && x.eq(y);
}
