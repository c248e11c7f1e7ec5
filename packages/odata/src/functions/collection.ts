import Big from "big.js";
import type { EdmNumber } from "../model/numbers.ts";
import type { CollectionType, Instant, PrimitiveType, ValueType } from "../model/types.ts";
import { type SqlFragment, sql } from "../sql/fragment.ts";
import type { Example, FunctionEntry } from "./define.ts";
import { sliceBounds } from "./slice.ts";

type Item = string | boolean | EdmNumber | Instant | null;
type Items = readonly Item[];

/** Three items of a type as written in a query, and their JSON forms. */
type Sample = { readonly literals: Trio<string>; readonly json: Trio<string | number | boolean> };
type Trio<T> = readonly [T, T, T];

const strings: Sample = { literals: ['"a"', '"😀"', '""'], json: ["a", "😀", ""] };

/**
 * Item types of the collections that the functions accept; narrower numbers are promoted. Queries can only contain
 * arrays of strings, numbers and booleans, so the other types use the examples of strings.
 */
const samples: ReadonlyMap<PrimitiveType, Sample> = new Map([
  ["Edm.String", strings],
  ["Edm.Decimal", { literals: ["1", "2.50", "-3"], json: [1, 2.5, -3] }],
  ["Edm.Double", { literals: ["1e3", "2.5e0", "-3e-2"], json: [1000, 2.5, -0.03] }],
  ["Edm.Boolean", { literals: ["true", "false", "null"], json: [true, false, true] }],
  ["Edm.Date", strings],
  ["Edm.DateTimeOffset", strings],
  ["Edm.TimeOfDay", strings],
  ["Edm.Duration", strings],
  ["Edm.Guid", strings],
]);

/**
 * Returns equal texts for equal items of one type. Here null equals null and NaN equals NaN, because the standard
 * defines these functions by removing items, not by comparing values.
 */
function valueText(item: Item): string {
  if (typeof item !== "object" || item === null || item instanceof Big) return String(item);
  return String(item.picoseconds);
}

const identities = (items: Items): readonly string[] => items.map(identityOf);

/** Prefixes the identity, which distinguishes the string `null` from null. */
const identityOf = (item: Item): string => (item === null ? "" : `=${valueText(item)}`);

function isAt(index: number, items: readonly string[], part: readonly string[]): boolean {
  return part.every((item, i) => items[index + i] === item);
}

/** Returns the index of the first contiguous occurrence of `part`, or -1. */
function indexOfPart(all: Items, part: Items): number {
  const [items, wanted] = [identities(all), identities(part)];
  for (let index = 0; index + wanted.length <= items.length; index++) {
    if (isAt(index, items, wanted)) return index;
  }
  return -1;
}

function hasSubset(all: Items, part: Items): boolean {
  const left = new Map<string, number>();
  for (const item of identities(all)) left.set(item, (left.get(item) ?? 0) + 1);
  return identities(part).every((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count > 0;
  });
}

function hasSubsequence(all: Items, part: Items): boolean {
  const wanted = identities(part);
  let found = 0;
  for (const item of identities(all)) if (item === wanted[found]) found++;
  return found === wanted.length;
}

function slice(items: Items, start: bigint, count: bigint | undefined): Items {
  const [from, to] = sliceBounds(items.length, start, count);
  return items.slice(from, to);
}

/** A function over collections, generic in the item type. */
type Template = {
  readonly name: string;
  readonly section: string;
  /** `null` stands for the collection type. */
  readonly params: readonly (ValueType | null)[];
  readonly returns: ValueType | null;
  readonly postgres: (args: readonly SqlFragment[]) => SqlFragment;
  readonly evaluate: (first: Items, second: Items & bigint, third: bigint) => unknown;
  readonly examples: (a: readonly string[], json: Sample["json"]) => readonly Example[];
};

const templates: readonly Template[] = [
  {
    name: "concat",
    section: "5.1.1.5.1",
    params: [null, null],
    returns: null,
    postgres: ([a = none, b = none]) => sql`${a} || ${b}`,
    evaluate: (a, b) => [...a, ...b],
    examples: ([a, b], [x, y]) => [
      [`concat([${a}],[${b},${a}])`, [x, y, x]],
      [`concat([${a}],substring([${a}],1))`, [x]],
      [`concat([${a}],[null,${a}])`, [x, null, x]],
    ],
  },
  {
    name: "contains",
    section: "5.1.1.5.2",
    params: [null, null],
    returns: "Edm.Boolean",
    postgres: ([a = none, b = none]) => sql`cadastre_indexof(${a}, ${b}) >= 0`,
    evaluate: (a, b) => indexOfPart(a, b) >= 0,
    examples: ([a, b, c]) => [
      [`contains([${a},${b},${c}],[${b},${c}])`, true],
      [`contains([${a},${b},${c}],[${a},${c}])`, false],
      [`contains([${a},null,${b}],[null,${b}])`, true],
      [`contains([${a}],substring([${a}],1))`, true],
    ],
  },
  {
    name: "endswith",
    section: "5.1.1.5.3",
    params: [null, null],
    returns: "Edm.Boolean",
    postgres: ([a = none, b = none]) => sql`cadastre_endswith(${a}, ${b})`,
    evaluate: (a, b) => a.length >= b.length && isAt(a.length - b.length, identities(a), identities(b)),
    examples: ([a, b, c]) => [
      [`endswith([${a},${b},${c}],[${b},${c}])`, true],
      [`endswith([${a},${b},${c}],[${a},${b}])`, false],
      [`endswith([${a}],[${b},${a}])`, false],
      [`endswith([${a}],substring([${a}],1))`, true],
    ],
  },
  {
    name: "indexof",
    section: "5.1.1.5.4",
    params: [null, null],
    returns: "Edm.Int32",
    postgres: ([a = none, b = none]) => sql`cadastre_indexof(${a}, ${b})`,
    evaluate: (a, b) => BigInt(indexOfPart(a, b)),
    examples: ([a, b, c]) => [
      [`indexof([${a},${b},${c}],[${b},${c}])`, 1],
      [`indexof([${a},${a},${b}],[${a},${b}])`, 1],
      [`indexof([${a}],[${b}])`, -1],
      [`indexof([],[])`, 0],
    ],
  },
  {
    name: "length",
    section: "5.1.1.5.5",
    params: [null],
    returns: "Edm.Int32",
    postgres: ([a = none]) => sql`cadastre_length(${a})`,
    evaluate: (a) => BigInt(a.length),
    examples: ([a, b, c]) => [
      [`length([${a},${b},${c}])`, 3],
      [`length([${a},null,${a}])`, 3],
      [`length([])`, 0],
    ],
  },
  {
    name: "startswith",
    section: "5.1.1.5.6",
    params: [null, null],
    returns: "Edm.Boolean",
    postgres: ([a = none, b = none]) => sql`cadastre_startswith(${a}, ${b})`,
    evaluate: (a, b) => isAt(0, identities(a), identities(b)),
    examples: ([a, b, c]) => [
      [`startswith([${a},${b},${c}],[${a},${b}])`, true],
      [`startswith([${a},${b},${c}],[${b},${c}])`, false],
      [`startswith([${a}],[${a},${b}])`, false],
      [`startswith([${a}],substring([${a}],1))`, true],
    ],
  },
  {
    name: "substring",
    section: "5.1.1.5.7",
    params: [null, "Edm.Int64"],
    returns: null,
    postgres: ([a = none, start = none]) => sql`cadastre_substring(${a}, ${start})`,
    evaluate: (a, start) => slice(a, start, undefined),
    examples: ([a, b], [x, y]) => [
      [`substring([${a},${b},${a}],1)`, [y, x]],
      [`substring([${a},${b},${a}],-1)`, [x]],
      [`substring([${a}],5)`, []],
      [`substring([${a}],null)`, null],
    ],
  },
  {
    name: "substring",
    section: "5.1.1.5.7",
    params: [null, "Edm.Int64", "Edm.Int64"],
    returns: null,
    postgres: ([a = none, start = none, count = none]) => sql`cadastre_substring(${a}, ${start}, ${count})`,
    evaluate: (a, start, count) => (count < 0n ? null : slice(a, start, count)),
    examples: ([a, b], [x, y]) => [
      [`substring([${a},${b},${a}],1,1)`, [y]],
      [`substring([${a},${b},${a}],-3,2)`, [x, y]],
      [`substring([${a}],0,9223372036854775807)`, [x]],
      [`substring([${a}],0,1 sub 2)`, null],
    ],
  },
  {
    name: "hassubset",
    section: "5.1.1.6.1",
    params: [null, null],
    returns: "Edm.Boolean",
    postgres: ([a = none, b = none]) => sql`cadastre_hassubset(${a}, ${b})`,
    evaluate: hasSubset,
    examples: ([a, b, c]) => [
      [`hassubset([${a},${b},${c}],[${c},${a}])`, true],
      [`hassubset([${a},${b}],[${a},${a}])`, false],
      [`hassubset([${a},${b},${a}],[${a},${a}])`, true],
      [`hassubset([${a}],[null,${a}])`, false],
      [`hassubset([],[])`, true],
    ],
  },
  {
    name: "hassubsequence",
    section: "5.1.1.6.2",
    params: [null, null],
    returns: "Edm.Boolean",
    postgres: ([a = none, b = none]) => sql`cadastre_hassubsequence(${a}, ${b})`,
    evaluate: hasSubsequence,
    examples: ([a, b, c]) => [
      [`hassubsequence([${a},${b},${c}],[${a},${c}])`, true],
      [`hassubsequence([${a},${b},${c}],[${c},${a}])`, false],
      [`hassubsequence([${a},${b}],[${a},${a}])`, false],
      [`hassubsequence([${a},${b},${a}],[${a},${a}])`, true],
      [`hassubsequence([${a}],substring([${a}],1))`, true],
    ],
  },
];

/** The comparison of collections by `eq`, which is no function of the standard. */
const sameItemsTemplate: Template = {
  name: "sameitems",
  section: "5.1.1.1.1",
  params: [null, null],
  returns: "Edm.Boolean",
  postgres: ([a = none, b = none]) => sql`cadastre_items(${a}) = cadastre_items(${b})`,
  evaluate: (a, b) => a.length === b.length && isAt(0, identities(a), identities(b)),
  examples: () => [],
};

const none = sql`null`;

function instantiate(template: Template, item: PrimitiveType, sample: Sample): FunctionEntry {
  const collection: CollectionType = `Collection(${item})`;
  return {
    name: template.name,
    source: `OData 4.01 URL Conventions ${template.section}`,
    params: template.params.map((param) => param ?? collection),
    returns: template.returns ?? collection,
    postgres: template.postgres,
    evaluate: ([first, second, third]) =>
      template.evaluate(first as Items, second as Items & bigint, third as bigint),
    examples: template.examples(sample.literals, sample.json),
  };
}

/** Every function over collections, for every type of item. */
export const collectionFunctions: readonly FunctionEntry[] = templates.flatMap((template) =>
  [...samples].map(([item, sample]) => instantiate(template, item, sample)),
);

/** True if two collections have the same items in the same order, for every type of item. A query cannot call it. */
export const sameItems: readonly FunctionEntry[] = [...samples].map(([item, sample]) =>
  instantiate(sameItemsTemplate, item, sample),
);
