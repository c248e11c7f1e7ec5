import { type BoundNode, bindFilter, type EntitySet, parseFilter, QueryError } from "@cadastre/odata";
import { mapChildren } from "@cadastre/odata/tree";

/** A condition on the records of a dataset, as a scope shows them. */
export type BoundFilter = {
  readonly condition: BoundNode;
  /** Identifies the properties that the condition names, with their types. */
  readonly basis: string;
};

type Span = { readonly start: number; readonly end: number };

/** Name of the member of a request that holds a condition, for its errors. */
const member = "filter";

/**
 * Binds the text of a condition, in the language of `$filter`. The current time is refused: the same delivery must be made whenever it is
 * built, and records would leave a copy without having changed.
 *
 * @param visible the records as a scope shows them
 * @throws {QueryError} with the place of the fault
 */
export function bindRowFilter(text: string, visible: EntitySet): BoundFilter {
  try {
    refuseControls(text);
    const tree = parseFilter(text);
    const condition = bindFilter(tree, visible, { now: () => refuseClock(tree) });
    return { condition, basis: JSON.stringify(namesIn(condition)) };
  } catch (error) {
    throw error instanceof QueryError ? error.in(member) : error;
  }
}

/** The text is stated in documents, whose form has no control characters. */
function refuseControls(text: string): void {
  const at = text.search(/[\p{Cc}\p{Cs}]/u);
  if (at < 0) return;
  const found = `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, "0")}`;
  const details = { expected: "a character other than a control character", found };
  throw new QueryError("syntax_error", { start: at, end: at + 1 }, details);
}

function refuseClock(tree: Span): never {
  throw new QueryError("not_supported", clockIn(tree) ?? tree, {
    feature: "the current time in the filter of an export",
  });
}

/** Returns the first call of `now` in a tree. */
function clockIn(node: unknown): Span | undefined {
  if (typeof node !== "object" || node === null) return undefined;
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
  if (kind === "Call" && String(name).toLowerCase() === "now") return node as Span;
  for (const child of Object.values(node)) {
    const found = clockIn(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

function namesIn(condition: BoundNode): readonly string[] {
  const found = new Set<string>();
  const visit = (node: BoundNode): BoundNode => {
    if (node.kind === "Property") {
      const { name, type, collection } = node.property;
      found.add(`${name} ${type}${collection ? "[]" : ""}`);
    }
    return mapChildren(node, visit);
  };
  visit(condition);
  return [...found].sort();
}
