import { QueryError } from "../errors.ts";
import { foldCase } from "../functions/case-mapping.ts";
import { enumValue } from "../functions/enum-value.ts";
import type { EnumType } from "../model/types.ts";
import { nearest } from "../nearest.ts";
import type { Span } from "../syntax/tree.ts";
import { type BoundNode, type ConstantNode, textConstant } from "./tree.ts";

/** Returns the enumeration that the values of a node belong to; undefined if there is none. */
export function enumTypeOf(node: BoundNode): EnumType | undefined {
  if (node.kind === "Property") return node.property.enumType;
  if (node.kind === "Variable") return node.enumType;
  if (node.kind !== "Choice") return undefined;
  const { value, otherwise } = node;
  const type = enumTypeOf(isNull(value) ? (otherwise ?? value) : value);
  const isCommon = otherwise === undefined || isNull(otherwise) || enumTypeOf(otherwise) === type;
  return isCommon ? type : undefined;
}

const isNull = (node: BoundNode): boolean => node.kind === "Constant" && node.value === null;

/** Returns the underlying number of the member at `index`: by default 0, 1, 2, … or, of flags, 1, 2, 4, …. */
const numberOf = ({ values, isFlags }: EnumType, index: number): bigint =>
  BigInt(values?.[index] ?? (isFlags ? 2n ** BigInt(index) : index));

/** Maximum number of members that an error message lists. */
const mostListed = 12;

const integer = /^[+-]?\d{1,30}$/;

/**
 * Returns the constant that an enumeration literal stands for: its members in the order of the type, with commas
 * between them. A member is written by its name or by its number.
 *
 * @throws {QueryError} `invalid_literal`
 */
export function enumConstant(text: string, type: EnumType, span: Span, ignoreCase = false): ConstantNode {
  const refuse = (reason: string) => {
    throw new QueryError("invalid_literal", span, { text: text.slice(0, 64), type: type.name, reason });
  };
  const names = type.members;
  const same = (a: string, b: string) => a === b || (ignoreCase && foldCase(a) === foldCase(b));
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length > 1 && !type.isFlags) refuse("it is one value, not several with commas between them");
  const found = new Set<number>();
  for (const part of parts) {
    const index = names.findIndex((name) => same(name, part));
    const places = index >= 0 ? [index] : integer.test(part) ? placesOf(BigInt(part), type) : undefined;
    if (places === undefined)
      refuse(integer.test(part) ? unknownNumber(part, type) : unknownName(part, type));
    for (const place of places ?? []) found.add(place);
  }
  return textConstant(names.filter((_, i) => found.has(i)).join(","));
}

/** Returns the places of the members that make up a number; undefined if no members do. */
function placesOf(number: bigint, type: EnumType): readonly number[] | undefined {
  const all = type.members.map((_, i) => i);
  const exact = all.find((i) => numberOf(type, i) === number);
  if (exact !== undefined) return [exact];
  if (!type.isFlags || number < 0n) return undefined;
  const places = all.filter((i) => (number & numberOf(type, i)) !== 0n);
  return places.reduce((sum, i) => sum | numberOf(type, i), 0n) === number ? places : undefined;
}

const unknownNumber = (part: string, { isFlags }: EnumType): string =>
  isFlags ? `its members do not add up to ${part}` : `no member has the number ${part}`;

function unknownName(part: string, { members }: EnumType): string {
  const suggestion = nearest(part, members);
  const has = `it has no member \`${part.slice(0, 64)}\``;
  if (suggestion !== undefined) return `${has}, did you mean \`${suggestion}\`?`;
  const listed = members.slice(0, mostListed).map((name) => `\`${name}\``);
  return `${has}, but ${listed.join(", ")}${members.length > mostListed ? ", …" : ""}`;
}

/** Names of the flags in an enumeration constant, each as a constant. A member with the number 0 is no flag. */
export function flagsOf({ value }: ConstantNode, type: EnumType): readonly ConstantNode[] {
  const set = String(value).split(",");
  return type.members.filter((name, i) => set.includes(name) && numberOf(type, i) !== 0n).map(textConstant);
}

/** Returns the underlying number of an enumeration value, by which enumerations are ordered. */
export function underlyingNumber(node: BoundNode, type: EnumType): BoundNode {
  const numbers: Record<string, string> = type.isFlags ? { "": "0" } : {};
  for (const [i, name] of type.members.entries()) numbers[name] = String(numberOf(type, i));
  return {
    kind: "Call",
    type: "Edm.Int64",
    entry: enumValue,
    args: [node, textConstant(JSON.stringify(numbers))],
  };
}
