import { foldcase } from "../functions/fold-case.ts";
import type { CollectionType, PrimitiveType } from "../model/types.ts";
import type { Context } from "./context.ts";
import type { BoundNode, BoundType, StructureType } from "./tree.ts";

/**
 * Numeric types in order of promotion: each fits into those after it. Source: OData 4.01 URL Conventions, section
 * 5.1.1.2.9.
 */
const numericTypes = [
  "Edm.SByte",
  "Edm.Byte",
  "Edm.Int16",
  "Edm.Int32",
  "Edm.Int64",
  "Edm.Decimal",
  "Edm.Single",
  "Edm.Double",
] as const satisfies readonly PrimitiveType[];

const rank: ReadonlyMap<BoundType, number> = new Map(numericTypes.map((type, i) => [type, i]));

export const isNumeric = (type: BoundType): type is (typeof numericTypes)[number] => rank.has(type);

/** Returns the wider of two numeric types, which holds the values of both. */
export const wider = <T extends BoundType>(a: T, b: T): T =>
  (rank.get(a) ?? 0) < (rank.get(b) ?? 0) ? b : a;

/** True if a value of `type` is accepted where `wanted` is expected. */
export const fits = (type: BoundType, wanted: BoundType): boolean =>
  type === wanted || type === "Null" || (rank.get(type) ?? 99) < (rank.get(wanted) ?? -1);

export const isIntegral = (type: BoundType): boolean => (rank.get(type) ?? 99) <= 4;

export const isStructure = (type: BoundType): type is StructureType => typeof type === "object";

const isCollection = (type: BoundType): type is CollectionType =>
  typeof type === "string" && type.startsWith("Collection(");

/** Returns the item type of a collection; undefined if the type is not a collection. */
export function itemType(type: BoundType): PrimitiveType | StructureType | undefined {
  if (isStructure(type)) return type.collection ? { ...type, collection: false } : undefined;
  return isCollection(type) ? (type.slice("Collection(".length, -1) as PrimitiveType) : undefined;
}

/** Name of the type in the standard's notation, for error messages. */
export function typeName(type: BoundType): string {
  if (!isStructure(type)) return type;
  return type.collection ? `Collection(${type.structure.name})` : type.structure.name;
}

const isGeo = (type: BoundType): boolean => typeof type === "string" && type.startsWith("Edm.Geo");

export const isSortable = (type: BoundType): boolean =>
  !isStructure(type) && !isCollection(type) && !isGeo(type) && type !== "Edm.Binary";

/**
 * True if operands of these types can be compared, by `eq` and `ne`, or by `gt`, `ge`, `lt` and `le` if `ordered`.
 * Null is comparable with every primitive type.
 */
export function isComparable(left: BoundType, right: BoundType, ordered: boolean): boolean {
  if (isCollection(left) || isCollection(right)) return false;
  if (isStructure(left) || isStructure(right)) return isNullTest(left, right) && !ordered;
  if (left === "Null" || right === "Null") return true;
  // Shapes have no equality: the standard provides `geo.intersects` and `geo.distance` instead.
  if (isGeo(left) || isGeo(right)) return false;
  if (ordered && (left === "Edm.Binary" || right === "Edm.Binary")) return false;
  return left === right || (isNumeric(left) && isNumeric(right));
}

/** True for a null test of a related entity, such as `ListOffice eq null`. */
const isNullTest = (left: BoundType, right: BoundType): boolean =>
  (isStructure(left) && !left.collection && right === "Null") ||
  (isStructure(right) && !right.collection && left === "Null");

/** Functions whose string arguments are compared. */
const comparingFunctions: ReadonlySet<string> = new Set(["contains", "endswith", "startswith"]);

/**
 * Returns the `$ignorecase` mapping for the operands of one comparison: strings are case-folded if at least two
 * operands are strings. Constants are wrapped rather than changed, so that filters keep their shape; compiling
 * folds them.
 */
export const foldAmong = (
  operands: readonly BoundNode[],
  { ignoreCase }: Context,
): ((operand: BoundNode) => BoundNode) =>
  ignoreCase && operands.filter(isText).length > 1 ? foldText : (operand) => operand;

/** Applies {@link foldAmong} to the arguments of the function `name` if it compares them. */
export const foldArguments = (
  name: string,
  args: readonly BoundNode[],
  context: Context,
): readonly BoundNode[] => (comparingFunctions.has(name) ? args.map(foldAmong(args, context)) : args);

const isText = ({ type }: BoundNode): boolean => type === "Edm.String";

const foldText = (operand: BoundNode): BoundNode =>
  isText(operand) ? { kind: "Call", type: "Edm.String", entry: foldcase, args: [operand] } : operand;
