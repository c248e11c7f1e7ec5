import { type BoundNode, bindFilter, type EntitySet, parseFilter, QueryError } from "@cadastre/odata";
import { constant, type SyntaxNode } from "@cadastre/odata/tree";

/** A value of a restriction. */
type RestrictionValue = string | number | boolean | null | undefined;

/** The entities of a set that a caller may see: those that fulfil a filter, all of them, or none. */
export type Restriction = {
  /** Text of the filter; null for all entities. */
  readonly filter: string | null;
  /** Values of its parameter aliases, by name without the at sign. */
  readonly values: Readonly<Record<string, RestrictionValue | readonly RestrictionValue[]>>;
};

/** All entities of a set. */
export const everything: Restriction = { filter: null, values: {} };

/** No entity of a set. */
export const nothing: Restriction = { filter: "false", values: {} };

/**
 * The entities that fulfil a filter, as in `$filter`. Values are passed apart from its text, as parameter aliases:
 * `filter("City eq @city", { city })`. If a value is undefined, no entity is seen.
 */
export const filter = (text: string, values: Restriction["values"] = {}): Restriction =>
  Object.values(values).some((one) => one === undefined || (Array.isArray(one) && one.includes(undefined)))
    ? nothing
    : { filter: text, values };

/** Restrictions by the name of the entity set. */
export type Restrictions = ReadonlyMap<string, Restriction>;

/** Returns the restriction of a set. @throws {TypeError} if there is none: a mistake of the host */
export function restrictionOf(restrictions: Restrictions, entitySet: string): Restriction {
  const found = restrictions.get(entitySet);
  if (found !== undefined) return found;
  throw new TypeError(
    `\`restrict\` says nothing of \`${entitySet}\`: give a filter, \`everything\` or \`nothing\``,
  );
}

/** Returns a text that is the same for the same restrictions only. */
export const restrictionsKey = (restrictions: Restrictions): string =>
  JSON.stringify([...restrictions].map(([name, { filter: text, values }]) => [name, text, values]));

/**
 * Binds a restriction. Null for all entities.
 *
 * @throws {TypeError} if the filter is not valid: a mistake of the host, which no caller is told of
 */
export function bindRestriction(
  { filter: text, values }: Restriction,
  entitySet: EntitySet,
): BoundNode | null {
  if (text === null) return null;
  if (text === "false") return constant(false);
  const aliases = Object.entries(values).map(([name, one]) => [`@${name}`, literalOf(one)] as const);
  return asMistakeOfHost(entitySet, () =>
    bindFilter(parseFilter(text), entitySet, { aliases: Object.fromEntries(aliases) }),
  );
}

/** Runs `work` on a restriction. Its `QueryError` is not one of the caller's query. @throws {TypeError} */
export function asMistakeOfHost<T>({ name }: EntitySet, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    throw new TypeError(`the restriction of \`${name}\` is not valid: ${error.message}`, { cause: error });
  }
}

const nowhere = { start: 0, end: 0 } as const;

function literalOf(value: Restriction["values"][string]): SyntaxNode {
  if (Array.isArray(value))
    return { kind: "Array", ...nowhere, items: (value as readonly RestrictionValue[]).map(literalOf) };
  if (value === null || value === undefined)
    return { kind: "Literal", ...nowhere, type: "Null", value: null };
  if (typeof value === "boolean") return { kind: "Literal", ...nowhere, type: "Boolean", value };
  if (typeof value === "string") return { kind: "Literal", ...nowhere, type: "String", value };
  const type = Number.isSafeInteger(value) ? "Integer" : "Double";
  return { kind: "Literal", ...nowhere, type, value: String(value) };
}
