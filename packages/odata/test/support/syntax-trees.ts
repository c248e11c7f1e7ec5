import fc from "fast-check";
import { isCanonicalFunction } from "../../src/syntax/function-names.ts";
import type { SyntaxNode } from "../../src/syntax/tree.ts";

/** A node without its span, which printing does not read. */
type Spanless<T> = T extends unknown ? Omit<T, "start" | "end"> : never;

const at = (node: Spanless<SyntaxNode>): SyntaxNode => ({ ...node, start: 0, end: 0 }) as SyntaxNode;

const literals = {
  Null: fc.constant(null),
  Boolean: fc.boolean(),
  Integer: fc.oneof(
    fc.integer({ min: -20, max: 120 }).map(String),
    fc.constantFrom("9007199254740993", "+5", "00"),
  ),
  Decimal: fc.constantFrom("0.5", "-10.25", "12.5", "10.10"),
  Double: fc.constantFrom("1e5", "-2.5E-1", "12e10", "INF", "-INF", "NaN"),
  String: fc.string({
    unit: fc.constantFrom("a", "'", '"', "\\", "10", ":", "(", " ", ",", "é", "😀"),
    maxLength: 4,
  }),
  Date: fc.constantFrom("2024-02-29", "-0001-01-10", "99999-12-31"),
  DateTimeOffset: fc.constantFrom(
    "2024-02-29T22:30Z",
    "2024-02-29T22:30:15.25-08:00",
    "2024-02-29t10:10:10+10:10",
  ),
  TimeOfDay: fc.constantFrom("08:30", "10:10:10", "23:59:59.5"),
  Duration: fc.constantFrom("P1D", "-PT10M", "PT0.5S"),
  Guid: fc.constantFrom("0f0e0d0c-0b0a-0908-0706-050403020100", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFF10"),
  Binary: fc.constantFrom("", "Zg", "Zm8="),
} as const;

const literal: fc.Arbitrary<SyntaxNode> = fc.oneof(
  ...Object.entries(literals).map(([type, value]) =>
    (value as fc.Arbitrary<string | boolean | null>).map((one) =>
      at({ kind: "Literal", type: type as keyof typeof literals, value: one }),
    ),
  ),
  fc
    .constantFrom("Lake", "Lake,City", "10", "-1,Lake")
    .map((value) => at({ kind: "Enum", typeName: "Demo.Views", value })),
  fc.constantFrom("geography", "geometry").map((family) =>
    at({
      kind: "Geo",
      family: family as "geography",
      srid: 0,
      shape: { type: "Point", coordinates: [-10, 10.5] },
    }),
  ),
);

/** Names of properties: plain, words of the grammar, and words that end with digits. */
const name = fc.constantFrom(
  "City",
  "Beds10",
  "é10",
  "_",
  "not",
  "eq",
  "and",
  "in",
  "has",
  "any",
  "all",
  "add",
  "asc",
  "case",
  "null",
  "true",
  "INF",
  "duration",
  "geography",
  "aggregate",
  "with",
  "as",
  "from",
  "filter",
  "search",
);
const literalWords = /^(?:null|true|false|INF|NaN)$/i;
/** Names that can be called: neither a literal nor an operation on what precedes them. */
const functionName = fc.constantFrom("contains", "length", "geo.distance", "substring", "Unknown", "now");
const qualified = fc.constantFrom("Demo.House", "Demo.Sub.Rank10");

const alias = fc.constantFrom("@p", "@Beds10").map((one) => at({ kind: "Alias", name: one }));

/** Random syntax trees as the parsers build them. */
export const syntaxTrees: fc.Arbitrary<SyntaxNode> = fc.letrec<{
  any: SyntaxNode;
  path: SyntaxNode;
  key: SyntaxNode;
}>((tie) => {
  const any = tie("any");
  const path = tie("path");
  const named = fc.array(fc.record({ name: fc.constantFrom("ID", "Kind10"), value: any }), { maxLength: 2 });
  return {
    key: fc.oneof(
      literal.filter(({ kind }) => kind !== "Geo"),
      alias,
    ),
    path: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      name.filter((one) => !literalWords.test(one)).map((one) => at({ kind: "Name", name: one })),
      fc.constantFrom("$it", "$this").map((one) => at({ kind: "Name", name: one })),
      alias,
      fc.tuple(path, fc.oneof(name, qualified)).map(([base, one]) => at({ kind: "Member", base, name: one })),
      fc
        .tuple(
          path.filter(({ kind }) => kind === "Name" || kind === "Member"),
          tie("key"),
        )
        .filter(([base]) => (base.kind === "Member" || base.kind === "Name") && isKeyed(base.name))
        .map(([base, value]) => at({ kind: "Key", base, key: [{ name: null, value }] })),
      fc.tuple(path, any).map(([base, predicate]) => at({ kind: "Filter", base, predicate })),
    ),
    any: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { arbitrary: literal, weight: 3 },
      { arbitrary: path, weight: 3 },
      fc
        .tuple(fc.option(path), fc.constantFrom("Core.Tag", "Demo.Note10"), fc.option(fc.constant("short")))
        .map(([base, term, qualifier]) => at({ kind: "Annotation", base, term, qualifier })),
      fc
        .tuple(path, fc.option(any))
        .map(([base, filter]) => at({ kind: "Count", base, filter, search: null })),
      fc
        .tuple(path, fc.constantFrom("any", "all"), fc.constantFrom("r", "x10", "not"), any)
        .map(([base, operator, variable, predicate]) =>
          at({ kind: "Lambda", operator: operator as "any", base, variable, predicate }),
        ),
      path.map((base) => at({ kind: "Lambda", operator: "any", base, variable: null, predicate: null })),
      fc
        .tuple(functionName, fc.array(any, { maxLength: 3 }))
        .filter(([one, args]) => isCanonicalFunction(one) || args.length !== 1)
        .map(([one, args]) => at({ kind: "Call", name: one, args })),
      fc
        .tuple(
          fc.constantFrom("cast", "isof"),
          fc.option(any),
          fc.constantFrom("Edm.String", "Demo.House", "Collection(Edm.Int64)"),
        )
        .map(([one, operand, type]) => {
          const of = at({ kind: "Type", name: type });
          return at({ kind: "Call", name: one, args: operand === null ? [of] : [operand, of] });
        }),
      fc
        .tuple(fc.option(path), qualified, named)
        .map(([base, one, args]) => at({ kind: "Method", base, name: one, args })),
      fc
        .array(fc.record({ condition: any, value: any }), { minLength: 1, maxLength: 3 })
        .map((branches) => at({ kind: "Case", branches })),
      fc
        .tuple(any, fc.constantFrom("eq", "ne", "gt", "ge", "lt", "le"), any)
        .map(([left, comparator, right]) =>
          at({ kind: "Compare", comparator: comparator as "eq", left, right }),
        ),
      fc
        .tuple(any, fc.constantFrom("add", "sub", "mul", "div", "divby", "mod"), any)
        .map(([left, operator, right]) =>
          at({ kind: "Arithmetic", operator: operator as "add", left, right }),
        ),
      fc.tuple(any, any).map(([operand, right]) => at({ kind: "Has", operand, right })),
      fc
        .tuple(
          any,
          fc.oneof(
            path,
            fc.array(literal, { maxLength: 3 }).map((items) => at({ kind: "List", items })),
          ),
        )
        .map(([operand, right]) => at({ kind: "In", operand, right })),
      any.map((operand) => at({ kind: "Not", operand })),
      any.map((operand) => at({ kind: "Negate", operand })),
      fc
        .tuple(fc.constantFrom("and", "or"), fc.array(any, { minLength: 2, maxLength: 4 }))
        .map(([operator, operands]) => at({ kind: "Logical", operator: operator as "and", operands })),
      fc.array(any, { maxLength: 3 }).map((items) => at({ kind: "Array", items })),
      fc
        .array(fc.record({ name: fc.constantFrom("a", "b c", '"', "10"), value: any }), { maxLength: 2 })
        .map((members) => at({ kind: "Object", members })),
    ),
  };
}).any;

/** True if `name(1)` is an item by its key, not a call. */
const isKeyed = (one: string): boolean =>
  !one.startsWith("$") &&
  !isCanonicalFunction(one) &&
  !/^(?:case|cast|isof|any|all|aggregate|not)$/i.test(one);
