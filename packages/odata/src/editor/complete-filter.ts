import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import { isNumeric } from "../bound/typing.ts";
import { functionTable } from "../functions/table.ts";
import type { PrimitiveType, StructuralProperty, StructuredType } from "../model/types.ts";
import { textLiteral } from "../syntax/print/literal.ts";
import { type FilterOperand, type FilterPosition, filterPosition } from "./filter-position.ts";

/**
 * Returns values of a property that begin with a text, to choose from after `eq '`.
 *
 * @param text what is typed already, without apostrophes
 */
export type SuggestValues = (property: StructuralProperty, text: string) => Promise<readonly string[]>;

/** Returns a source of completions for a filter on entities of a type. */
export function filterCompletions(type: StructuredType, suggestValues?: SuggestValues): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const position = filterPosition(context.state.sliceDoc(0, context.pos), type);
    if (position.typed === "" && !context.explicit && !opensList(position, context)) return null;
    const options = await optionsAt(position, suggestValues);
    return options.length === 0
      ? null
      : {
          from: position.from,
          options,
          // Values are asked for again, as there may be more of them that begin with a longer text.
          ...(position.expects === "text" ? { filter: false } : { validFor: /^[$\w]*$/ }),
        };
  };
}

/** True after a space, a slash or an opening apostrophe, where a list helps although nothing is typed yet. */
const opensList = ({ expects }: FilterPosition, { state, pos }: CompletionContext): boolean =>
  expects === "text" || (expects !== "name" && /[\s/(,:]$/.test(state.sliceDoc(0, pos)));

async function optionsAt(
  position: FilterPosition,
  suggestValues: SuggestValues | undefined,
): Promise<readonly Completion[]> {
  const { expects, instance, compared, typed } = position;
  if (expects === "text") return valuesOf(compared, typed, suggestValues);
  if (expects === "operator") return operatorsAfter(position);
  if (expects === "option") return countOptions;
  if (expects === "member") return instance.collection ? collectionMembers : membersOf(instance);
  if (expects === "operand")
    return [
      ...literalsFor(compared),
      ...[...position.variables].map(([label]) => ({ label, type: "variable", boost: 3 })),
      ...membersOf(instance),
      ...functions,
      { label: "not", type: "keyword" },
    ];
  return [];
}

/** Literals that an expression can be compared with, before other operands. */
function literalsFor(compared: FilterOperand | undefined): readonly Completion[] {
  const { type, property } = compared ?? {};
  const texts =
    property?.enumType === undefined
      ? typeof type === "string"
        ? (literalsByType[type] ?? [])
        : []
      : property.enumType.members.map(textLiteral);
  return (compared === undefined ? texts : [...texts, "null"]).map((label) => ({
    label,
    type: "constant",
    boost: 5,
  }));
}

const literalsByType: Partial<Record<PrimitiveType, readonly string[]>> = {
  "Edm.Boolean": ["true", "false"],
  "Edm.DateTimeOffset": ["now()"],
  "Edm.Date": ["date(now())"],
  "Edm.String": ["''"],
};

async function valuesOf(
  compared: FilterOperand | undefined,
  typed: string,
  suggestValues: SuggestValues | undefined,
): Promise<readonly Completion[]> {
  const property = compared?.property;
  if (property === undefined) return [];
  const members = property.enumType?.members.filter((member) =>
    member.toLowerCase().startsWith(typed.toLowerCase()),
  );
  const values = members ?? (await suggestValues?.(property, typed)) ?? [];
  return values.map((label) => ({ label, type: "text", apply: label.replaceAll("'", "''") }));
}

const collectionMembers: readonly Completion[] = [
  { label: "any", detail: "(x: …)", info: "True if the condition holds for an item", apply: "any(x:x" },
  { label: "all", detail: "(x: …)", info: "True if the condition holds for all items", apply: "all(x:x" },
  { label: "$count", detail: "Edm.Int64", info: "Number of items" },
].map((completion) => ({ ...completion, type: "method" }));

const countOptions: readonly Completion[] = ["$filter", "$search"].map((label) => ({
  label,
  type: "keyword",
  apply: `${label}=`,
}));

/** Completions of the members of types, since a type of a thousand properties is asked for at each key. */
const completionsOfTypes = new WeakMap<StructuredType, readonly Completion[]>();

function membersOf({ type }: FilterOperand): readonly Completion[] {
  if (typeof type !== "object") return [];
  let completions = completionsOfTypes.get(type);
  if (completions === undefined) {
    completions = [
      ...[...type.properties.values()].map((property) => ({
        label: property.name,
        type: "property",
        detail: typeText(property),
        boost: 2,
      })),
      ...[...(type.structured ?? [])].map(([label, { target, collection }]) => ({
        label,
        type: "class",
        detail: collection ? `Collection(${target().name})` : target().name,
        apply: `${label}/`,
        boost: 1,
      })),
    ];
    completionsOfTypes.set(type, completions);
  }
  return completions;
}

function typeText({ type, collection, enumType }: StructuralProperty): string {
  const single = enumType?.name ?? type;
  return collection ? `Collection(${single})` : single;
}

const shortName = (type: string): string => type.replace("Edm.", "");

const signatureOf = (params: readonly string[], returns: string): string =>
  `(${params.map(shortName).join(", ")}) ${shortName(returns)}`;

const functions: readonly Completion[] = [
  ...[...functionTable].map(
    ([label, [overload]]) => [label, signatureOf(overload?.params ?? [], overload?.returns ?? "")] as const,
  ),
  // Binding knows these without the table.
  ["now", signatureOf([], "DateTimeOffset")] as const,
  ["case", "(condition:value, …)"] as const,
  ["cast", "(value, type)"] as const,
  ["isof", "(value, type) Boolean"] as const,
].map(([label, detail]) => ({
  label,
  type: "function",
  detail,
  apply: detail.startsWith("()") ? `${label}()` : `${label}(`,
}));

const keyword = (label: string, info: string): Completion => ({ label, type: "keyword", info });

const connectives: readonly Completion[] = [
  { ...keyword("and", "Both conditions hold"), boost: 2 },
  keyword("or", "One of the conditions holds"),
];
const equality: readonly Completion[] = [keyword("eq", "equal"), keyword("ne", "not equal")];
const order: readonly Completion[] = [
  keyword("gt", "greater than"),
  keyword("ge", "greater than or equal"),
  keyword("lt", "less than"),
  keyword("le", "less than or equal"),
];
const list: Completion = { ...keyword("in", "equal to one of a list"), apply: "in (" };
const has: Completion = keyword("has", "contains the values");
const arithmetic: readonly Completion[] = [
  keyword("add", "plus"),
  keyword("sub", "minus"),
  keyword("mul", "times"),
  keyword("div", "divided by; of integers, without remainder"),
  keyword("divby", "divided by"),
  keyword("mod", "remainder"),
];

const temporal: ReadonlySet<PrimitiveType> = new Set(["Edm.Date", "Edm.DateTimeOffset", "Edm.Duration"]);

function operatorsAfter({ operand, isCondition }: FilterPosition): readonly Completion[] {
  const { type, collection, property } = operand ?? {};
  if (isCondition) return connectives;
  if (collection === true) return typeof type === "object" ? [] : [...equality, has];
  if (typeof type === "object") return equality;
  const comparators = [...equality, ...order, list];
  if (type === undefined) return [...connectives, ...comparators, ...arithmetic];
  if (type === "Edm.Boolean") return [...connectives, ...comparators];
  if (property?.enumType?.isFlags === true) return [...comparators, has];
  return isNumeric(type) || temporal.has(type) ? [...comparators, ...arithmetic] : comparators;
}
