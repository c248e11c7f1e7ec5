import { QueryError } from "../src/errors.ts";
import { systemOption } from "../src/options/decode.ts";
import type { PathSegment } from "../src/options/index.ts";
import type { ApplyArgument, Transformation } from "../src/syntax/items.ts";
import type { AggregateItem, Span, SyntaxNode } from "../src/syntax/tree.ts";

/**
 * The names that a suite declares, by the rule of the grammar that they belong to. A suite has no entity
 * model: that a name is a property, a collection or a type is known from these lists alone.
 */
export type Names = ReadonlyMap<string, ReadonlySet<string>>;

const isOneOf = (names: Names, name: string, rules: readonly string[]): boolean =>
  rules.some((rule) => names.get(rule)?.has(name));

const primitive = ["primitiveKeyProperty", "primitiveNonKeyProperty", "primitiveColProperty"] as const;
const collections = ["entityColNavigationProperty", "complexColProperty"] as const;
const types = ["entityTypeName", "complexTypeName"] as const;
/** The rules whose names stand at the service root alone. */
const atRoot = /(?:Import|SetName|Entity)$/;

const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

function refuse(start: number, name: string): never {
  throw new QueryError("unknown_property", { start, end: start }, { name }, "$apply");
}

/** Refuse the segments that the declared names do not allow. */
export function checkPath(path: readonly PathSegment[], names: Names): void {
  for (const [index, segment] of path.entries()) {
    const before = path[index - 1];
    if (before?.kind !== "Resource") continue;
    const former = lastPart(before.name);
    if (segment.kind === "System" && segment.name === "$value" && before.args === null) {
      const raw = isOneOf(names, former, ["streamProperty", "complexProperty", "complexColProperty"]);
      if (raw) throw new QueryError("unknown_property", segment, { name: segment.name });
    }
    if (segment.kind !== "Resource") continue;
    const name = lastPart(segment.name);
    const rules = [...names.keys()].filter((rule) => names.get(rule)?.has(name));
    const foreign = rules.length > 0 && rules.every((rule) => atRoot.test(rule));
    const castAgain =
      before.args === null &&
      isOneOf(names, former, types) &&
      segment.args === null &&
      before.name === segment.name;
    // By its form such a segment may be a key: it is the whole segment that is none.
    if (foreign || castAgain)
      throw new QueryError("unknown_property", { ...segment, start: segment.end }, { name });
  }
}

/** The offset in `query` after the first custom option that is not declared, or null. */
export function undeclaredOption(query: string, names: Names): number | null {
  if (!names.has("customName")) return null;
  let start = 0;
  for (const part of query.split("&")) {
    const [name = ""] = part.split("=", 1);
    const decoded = decodeURIComponent(name);
    const custom = systemOption(decoded) === undefined && !/^[@$]/.test(decoded);
    if (custom && !isOneOf(names, decoded, ["customName", "parameterName"])) return start + name.length;
    start += part.length + 1;
  }
  return null;
}

const memberOfCall = /(\w+)\((?=([A-Za-z_]\w*)(?![\w=]))/g;

/**
 * The offset in `query` after the first word that begins the key of a declared collection, but is not the name of a
 * key property with an equals sign, or null. Without the names, `Sales(Amount mul 2)` is a call by its form.
 */
export function keyFault(query: string, names: Names): number | null {
  for (const { 0: opened, 1: name = "", 2: word = "", index } of query.matchAll(memberOfCall))
    if (isOneOf(names, name, collections)) return index + opened.length + word.length;
  return null;
}

/** The steps of a path of names, the first one first; empty where `node` is something else. */
function stepsOf(node: SyntaxNode): readonly SyntaxNode[] {
  if (node.kind === "Name") return [node];
  if (node.kind === "Member") return [...stepsOf(node.base), node];
  return node.kind === "Annotation" && node.base !== null ? [...stepsOf(node.base), node] : [];
}

const nameOf = (node: SyntaxNode): string =>
  node.kind === "Name" || node.kind === "Member" ? node.name : "";

/** A property to group by: every step has one value, and the last is no type. */
function checkGrouping(node: SyntaxNode, names: Names): void {
  const steps = stepsOf(node);
  for (const [index, step] of steps.entries()) {
    const name = lastPart(nameOf(step));
    const last = index === steps.length - 1;
    if (step.kind === "Annotation") refuse((steps[index - 1]?.end ?? 0) + 1, step.term);
    if (isOneOf(names, name, collections)) refuse(step.end, name);
    if (!last && isOneOf(names, name, primitive)) refuse(step.end, name);
    if (last && isOneOf(names, name, types)) refuse(step.end, name);
  }
}

/** The offset of what follows `node` after white space in `text`. */
const after = ({ end }: Span, text: string): number =>
  end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0);

/** What is aggregated has one value where it is an operand, and a method unless it is a custom aggregate. */
function checkAggregate({ expression, method }: AggregateItem, text: string, names: Names): void {
  const steps = stepsOf(expression);
  const last = nameOf(steps.at(-1) ?? expression);
  if (method === null && isOneOf(names, last, primitive) && !isOneOf(names, last, ["customAggregate"])) {
    refuse(after(expression, text), last);
  }
  if (expression.kind !== "Arithmetic") return;
  const plural = stepsOf(expression.left).find((step) => isOneOf(names, nameOf(step), collections));
  if (plural !== undefined) refuse(after(expression.left, text), nameOf(plural));
}

function checkArgument(argument: ApplyArgument, text: string, names: Names): void {
  switch (argument.kind) {
    case "Aggregate":
      checkAggregate(argument, text, names);
      break;
    case "Grouping":
      for (const item of argument.items)
        if (item.kind === "Name" || item.kind === "Member" || item.kind === "Annotation")
          checkGrouping(item, names);
      break;
    case "Joined": {
      const name = nameOf(argument.expression);
      if (isOneOf(names, name, ["complexProperty", "entityNavigationProperty"]))
        refuse(argument.expression.end, name);
      break;
    }
    case "Sequence":
    case "Nested":
      checkApply(argument.transformations, text, names);
      break;
    default:
  }
}

/** Refuse what the declared names do not allow in `$apply`, whose decoded text is `text`. */
export function checkApply(transformations: readonly Transformation[], text: string, names: Names): void {
  for (const { args } of transformations) for (const argument of args) checkArgument(argument, text, names);
}
