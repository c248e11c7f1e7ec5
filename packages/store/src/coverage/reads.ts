import { datasetProperty } from "@cadastre/entitlement";
import { type BoundNode, mapChildren } from "@cadastre/odata";
import { StoreError } from "../errors.ts";
import type { Counted, Place } from "./coverage.ts";

/** Whether a node reads nothing else than which dataset a row is of. */
export const readsDataset = (node: BoundNode): boolean =>
  isOwn(node, (name) => name === datasetProperty.name) ??
  childrenOf(node).every((child) => readsDataset(child));

/**
 * Hold a filter to what records are counted by, so that it finds all records of an atom or none.
 *
 * @throws {StoreError} `uncounted_scope`
 */
export function requireCounted(filter: BoundNode, counted: Counted): void {
  if (!isCounted(filter, counted)) throw new StoreError("uncounted_scope");
}

/**
 * Hold what is shown of a place to the same, so that all records of an atom show one.
 *
 * @throws {StoreError} `uncounted_scope`
 */
export function requireCountedPlace(
  shown: BoundNode | undefined,
  { characters }: Place,
  counted: Counted,
): void {
  if (shown === undefined) return;
  const isTold =
    characters === undefined
      ? isCounted(shown, counted)
      : knownOf(shown, beginningsOf(counted)) >= characters;
  if (!isTold) throw new StoreError("uncounted_scope");
}

function isCounted(node: BoundNode, counted: Counted): boolean {
  const { system, places } = counted;
  const whole = places.filter(({ characters }) => characters === undefined).map(({ column }) => column);
  const known = new Set([datasetProperty.name, system, ...whole]);
  const beginnings = beginningsOf(counted);
  const isMadeOf = (part: BoundNode): boolean =>
    isOwn(part, (name) => known.has(name)) ??
    (comparesBeginning(part, beginnings) || childrenOf(part).every(isMadeOf));
  return isMadeOf(node);
}

/** Columns of which a beginning is known, and how many characters. */
const beginningsOf = ({ places }: Counted): ReadonlyMap<string, number> =>
  new Map(
    places.flatMap(({ column, characters }) => (characters === undefined ? [] : [[column, characters]])),
  );

/** Whether a node that is a property is one of the entity's own that is known; undefined: it is none. */
function isOwn(node: BoundNode, isKnown: (name: string) => boolean): boolean | undefined {
  if (node.kind === "Structure") return false;
  return node.kind === "Property" ? node.base === undefined && isKnown(node.property.name) : undefined;
}

/**
 * Whether a node asks where a text lies in the order of texts as to one that is no longer than the beginning that is known:
 * of the whole text the answer is the same.
 */
function comparesBeginning(node: BoundNode, beginnings: ReadonlyMap<string, number>): boolean {
  if (node.kind !== "Compare" || (node.comparator !== "ge" && node.comparator !== "lt")) return false;
  const { left, right } = node;
  if (right.kind !== "Constant" || typeof right.value !== "string") return false;
  const known = knownOf(left, beginnings);
  return known > 0 && Array.from(right.value).length <= known;
}

/** How many of a text's first characters are known, if its other ones are not; 0: it may be any text. */
function knownOf(node: BoundNode, beginnings: ReadonlyMap<string, number>): number {
  switch (node.kind) {
    case "Property":
      return node.base === undefined ? (beginnings.get(node.property.name) ?? 0) : 0;
    case "Choice": {
      const { when, value, otherwise } = node;
      if (!readsDataset(when)) return 0;
      const known = knownOf(value, beginnings);
      return otherwise === undefined ? known : Math.min(known, knownOf(otherwise, beginnings));
    }
    case "Call": {
      const [text, start] = node.args;
      const isBeginning = node.entry.name === "substring" && text !== undefined && isZero(start);
      return isBeginning && node.args.slice(2).every(({ kind }) => kind === "Constant")
        ? knownOf(text, beginnings)
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
