import { datasetProperty } from "@cadastre/entitlement";
import type { BoundNode } from "@cadastre/odata";
import { mapChildren } from "@cadastre/odata/tree";
import { StoreError } from "../errors.ts";
import type { Counted, LocationColumn } from "../stored-resource.ts";

/** True if a node reads no property other than the dataset of a row. */
export const readsDataset = (node: BoundNode): boolean =>
  isKnownProperty(node, (name) => name === datasetProperty.name) ??
  childrenOf(node).every((child) => readsDataset(child));

/**
 * Checks that a filter reads only what records are counted by, so that it matches either all records of a group or none.
 *
 * @throws {StoreError} `uncounted_scope`
 */
export function requireCounted(filter: BoundNode, counted: Counted): void {
  if (!isCounted(filter, counted)) throw new StoreError("uncounted_scope");
}

/**
 * Checks that the expression that shows a place reads only what records are counted by, so that all records of a group show the
 * same place.
 *
 * @throws {StoreError} `uncounted_scope`
 */
export function requireCountedPlace(
  shown: BoundNode | undefined,
  { characters }: LocationColumn,
  counted: Counted,
): void {
  if (shown === undefined) return;
  const isTold =
    characters === undefined
      ? isCounted(shown, counted)
      : knownPrefixLength(shown, countedPrefixes(counted)) >= characters;
  if (!isTold) throw new StoreError("uncounted_scope");
}

function isCounted(node: BoundNode, counted: Counted): boolean {
  const { system, places } = counted;
  const whole = places.filter(({ characters }) => characters === undefined).map(({ column }) => column);
  const known = new Set([datasetProperty.name, system, ...whole]);
  const beginnings = countedPrefixes(counted);
  const readsOnlyCounted = (part: BoundNode): boolean =>
    isKnownProperty(part, (name) => known.has(name)) ??
    (comparesBeginning(part, beginnings) || childrenOf(part).every(readsOnlyCounted));
  return readsOnlyCounted(node);
}

/** Columns of which only the first characters are counted by, with the number of these characters. */
const countedPrefixes = ({ places }: Counted): ReadonlyMap<string, number> =>
  new Map(
    places.flatMap(({ column, characters }) => (characters === undefined ? [] : [[column, characters]])),
  );

/**
 * For a property node: true if it is a known property of the entity itself. For a structure: false. Undefined for any other node.
 */
function isKnownProperty(node: BoundNode, isKnown: (name: string) => boolean): boolean | undefined {
  if (node.kind === "Structure") return false;
  return node.kind === "Property" ? node.base === undefined && isKnown(node.property.name) : undefined;
}

/**
 * True if a node compares (`ge`, `lt`) a text with a constant that is no longer than the known prefix of the text. The prefix
 * then gives the same answer as the whole text.
 */
function comparesBeginning(node: BoundNode, beginnings: ReadonlyMap<string, number>): boolean {
  if (node.kind !== "Compare" || (node.comparator !== "ge" && node.comparator !== "lt")) return false;
  const { left, right } = node;
  if (right.kind !== "Constant" || typeof right.value !== "string") return false;
  const known = knownPrefixLength(left, beginnings);
  return known > 0 && Array.from(right.value).length <= known;
}

/** Returns the length of the known prefix of a text; 0 if no part of the text is known. */
function knownPrefixLength(node: BoundNode, beginnings: ReadonlyMap<string, number>): number {
  switch (node.kind) {
    case "Property":
      return node.base === undefined ? (beginnings.get(node.property.name) ?? 0) : 0;
    case "Choice": {
      const { when, value, otherwise } = node;
      if (!readsDataset(when)) return 0;
      const known = knownPrefixLength(value, beginnings);
      return otherwise === undefined ? known : Math.min(known, knownPrefixLength(otherwise, beginnings));
    }
    case "Call": {
      const [text, start] = node.args;
      const isBeginning = node.entry.name === "substring" && text !== undefined && isZero(start);
      return isBeginning && node.args.slice(2).every(({ kind }) => kind === "Constant")
        ? knownPrefixLength(text, beginnings)
        : 0;
    }
    default:
      return 0;
  }
}

const isZero = (node: BoundNode | undefined): boolean =>
  node?.kind === "Constant" && (node.value === 0 || node.value === 0n);

function childrenOf(node: BoundNode): readonly BoundNode[] {
  const children: BoundNode[] = [];
  mapChildren(node, (child) => {
    children.push(child);
    return child;
  });
  return children;
}
