/** A half-open range of UTF-16 code units in the decoded text of an option. Every syntax node extends it. */
export type Span = { readonly start: number; readonly end: number };

export type Comparator = "eq" | "ne" | "gt" | "ge" | "lt" | "le";
export type ArithmeticOperator = "add" | "sub" | "mul" | "div" | "divby" | "mod";
export type LambdaOperator = "any" | "all";

/**
 * Type of a literal, judged by its form alone. `Integer`, `Decimal` and `Double` are numerals; their Edm type is
 * determined when they are bound (`5` may become an Edm.Byte or an Edm.Int64).
 */
export type LiteralType =
  | "Null"
  | "Boolean"
  | "Integer"
  | "Decimal"
  | "Double"
  | "String"
  | "Date"
  | "DateTimeOffset"
  | "TimeOfDay"
  | "Duration"
  | "Guid"
  | "Binary";

/** [longitude, latitude] or [x, y], optionally followed by z and m. */
export type Position = readonly number[];

/** The seven shapes of the standard's well-known text. The last position of a ring repeats its first one. */
export type GeoShape =
  | { readonly type: "Point"; readonly coordinates: Position }
  | { readonly type: "LineString"; readonly coordinates: readonly Position[] }
  | { readonly type: "Polygon"; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: "MultiPoint"; readonly coordinates: readonly Position[] }
  | { readonly type: "MultiLineString"; readonly coordinates: readonly (readonly Position[])[] }
  | { readonly type: "MultiPolygon"; readonly coordinates: readonly (readonly (readonly Position[])[])[] }
  | { readonly type: "GeometryCollection"; readonly geometries: readonly GeoShape[] };

/** A parsed common expression, before binding: names are not resolved and types are not known. */
export type SyntaxNode =
  | LiteralNode
  | EnumNode
  | GeoNode
  | NameNode
  | AliasNode
  | AnnotationNode
  | MemberNode
  | KeyNode
  | CountNode
  | FilterNode
  | AggregationNode
  | LambdaNode
  | CallNode
  | MethodNode
  | TypeNode
  | CaseNode
  | CompareNode
  | InNode
  | HasNode
  | ArithmeticNode
  | NegateNode
  | LogicalNode
  | NotNode
  | ListNode
  | ArrayNode
  | ObjectNode
  | RootNode;

/** A literal. `value` is the text without prefix and quotes: unescaped for strings, otherwise as written. */
export type LiteralNode = Span & {
  readonly kind: "Literal";
  readonly type: LiteralType;
  readonly value: string | boolean | null;
};

/** An enumeration literal: `Sales.Pattern'Yellow,Solid'`. */
export type EnumNode = Span & { readonly kind: "Enum"; readonly typeName: string; readonly value: string };

/** A geo literal: `geography'SRID=4326;Point(-118.2 34.0)'`. */
export type GeoNode = Span & {
  readonly kind: "Geo";
  readonly family: "geography" | "geometry";
  readonly srid: number;
  readonly shape: GeoShape;
};

/**
 * The first segment of a path: a property, a lambda variable, `$it`, `$this`, `$these`, or a qualified type name.
 * In `aggregate`, `$count` alone stands for the items themselves.
 */
export type NameNode = Span & { readonly kind: "Name"; readonly name: string };

/** A parameter alias, `@p`, with its at sign. */
export type AliasNode = Span & { readonly kind: "Alias"; readonly name: string };

/** `@Namespace.Term#qualifier` on `base`; on the current instance if `base` is null. */
export type AnnotationNode = Span & {
  readonly kind: "Annotation";
  readonly base: SyntaxNode | null;
  readonly term: string;
  readonly qualifier: string | null;
};

/** `base/name`; a name with a dot is a type cast. */
export type MemberNode = Span & { readonly kind: "Member"; readonly base: SyntaxNode; readonly name: string };

/** `base('k')` or `base(Name='k',Number=1)`: one item of a collection, addressed by its key. */
export type KeyNode = Span & {
  readonly kind: "Key";
  readonly base: SyntaxNode;
  readonly key: readonly { readonly name: string | null; readonly value: SyntaxNode }[];
};

/** `base/$count`, optionally with a `$filter` or `$search` in parentheses. */
export type CountNode = Span & {
  readonly kind: "Count";
  readonly base: SyntaxNode;
  readonly filter: SyntaxNode | null;
  readonly search: SearchNode | null;
};

/** `base/$filter(predicate)`: the items of a collection that satisfy a predicate. */
export type FilterNode = Span & {
  readonly kind: "Filter";
  readonly base: SyntaxNode;
  readonly predicate: SyntaxNode;
};

/** `base/aggregate(expression with method)`: an aggregate value over the items of a collection. */
export type AggregationNode = Span & {
  readonly kind: "Aggregation";
  readonly base: SyntaxNode;
  readonly item: AggregateItem;
};

/** `expression with method from … as alias`. A custom aggregate has no method. */
export type AggregateItem = Span & {
  readonly kind: "Aggregate";
  readonly expression: SyntaxNode;
  readonly method: string | null;
  readonly from: readonly AggregateFrom[];
  readonly alias: string | null;
};

/** `from grouping,… with method` of an {@link AggregateItem}. The method may be missing for a custom aggregate. */
export type AggregateFrom = { readonly groupings: readonly SyntaxNode[]; readonly method: string | null };

/** `base/any(variable:predicate)`. `any()` has neither variable nor predicate. */
export type LambdaNode = Span & {
  readonly kind: "Lambda";
  readonly operator: LambdaOperator;
  readonly base: SyntaxNode;
  readonly variable: string | null;
  readonly predicate: SyntaxNode | null;
};

/** `name(args)`: a call of a canonical function. `name` is as written; it is matched in any letter case. */
export type CallNode = Span & {
  readonly kind: "Call";
  readonly name: string;
  readonly args: readonly SyntaxNode[];
};

/** `base/Namespace.Function(name=value)`; a function import if `base` is null. */
export type MethodNode = Span & {
  readonly kind: "Method";
  readonly base: SyntaxNode | null;
  readonly name: string;
  readonly args: readonly { readonly name: string; readonly value: SyntaxNode }[];
};

/** A type name as an argument of `cast` or `isof`: `Edm.String`, `Collection(Ns.Type)`. */
export type TypeNode = Span & { readonly kind: "Type"; readonly name: string };

/** `case(condition:value,…)` */
export type CaseNode = Span & {
  readonly kind: "Case";
  readonly branches: readonly { readonly condition: SyntaxNode; readonly value: SyntaxNode }[];
};

export type CompareNode = Span & {
  readonly kind: "Compare";
  readonly comparator: Comparator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
};

/** `operand in right`, where `right` is a {@link ListNode}, an {@link ArrayNode} or a collection-valued path. */
export type InNode = Span & {
  readonly kind: "In";
  readonly operand: SyntaxNode;
  readonly right: SyntaxNode;
};

export type HasNode = Span & {
  readonly kind: "Has";
  readonly operand: SyntaxNode;
  readonly right: SyntaxNode;
};

export type ArithmeticNode = Span & {
  readonly kind: "Arithmetic";
  readonly operator: ArithmeticOperator;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
};

/** Unary minus on anything but a numeral (`-5` is a literal). */
export type NegateNode = Span & { readonly kind: "Negate"; readonly operand: SyntaxNode };

/**
 * A chain of two or more operands: `a or b or c` is a single node, so that a long chain does not make a deep tree.
 */
export type LogicalNode = Span & {
  readonly kind: "Logical";
  readonly operator: "and" | "or";
  readonly operands: readonly SyntaxNode[];
};

export type NotNode = Span & { readonly kind: "Not"; readonly operand: SyntaxNode };

/** `(1,2,3)` after `in`. */
export type ListNode = Span & { readonly kind: "List"; readonly items: readonly SyntaxNode[] };

/** A JSON array: `["a",1,$it/b]`. */
export type ArrayNode = Span & { readonly kind: "Array"; readonly items: readonly SyntaxNode[] };

export type ObjectNode = Span & {
  readonly kind: "Object";
  readonly members: readonly { readonly name: string; readonly value: SyntaxNode }[];
};

/** `$root`; an entity set or a singleton follows as a {@link MemberNode}. */
export type RootNode = Span & { readonly kind: "Root" };

/** A parsed `$search` expression. `and` may be written or implied by white space. */
export type SearchNode =
  | (Span & { readonly kind: "Term"; readonly value: string; readonly phrase: boolean })
  | (Span & {
      readonly kind: "SearchLogical";
      readonly operator: "and" | "or";
      readonly operands: readonly SearchNode[];
    })
  | (Span & { readonly kind: "SearchNot"; readonly operand: SearchNode });
