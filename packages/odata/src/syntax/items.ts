import type { AggregateItem, SearchNode, Span, SyntaxNode } from "./tree.ts";

export type Direction = "asc" | "desc";

/** One item of `$orderby`. */
export type OrderByItem = Span & { readonly expression: SyntaxNode; readonly direction: Direction };

/**
 * One item of `$select`: `*`, `Ns.*`, or a path of one or more segments, with the options of its parentheses. A
 * qualified segment is a type cast; the last one may be a qualified bound operation.
 */
export type SelectItem = Span & {
  readonly path: readonly string[];
  /** Parameter names, which select an overload of a bound function. */
  readonly parameters: readonly string[] | null;
  readonly options: SelectOptions | null;
};

/** Options inside the parentheses of a `$select` or `$expand` item. Options that are not given are undefined. */
export type SelectOptions = {
  readonly filter?: SyntaxNode;
  readonly orderBy?: readonly OrderByItem[];
  readonly search?: SearchNode;
  readonly select?: readonly SelectItem[];
  readonly expand?: readonly ExpandItem[];
  readonly compute?: readonly ComputeItem[];
  readonly apply?: readonly Transformation[];
  readonly top?: number;
  readonly skip?: number;
  readonly count?: boolean;
  /** Depth of a recursive `$expand`. */
  readonly levels?: number | "max";
  /** Points in time (OData Extension for Temporal Data 4.0); `min` and `max` are names. */
  readonly at?: SyntaxNode;
  readonly from?: SyntaxNode;
  readonly to?: SyntaxNode;
  readonly toInclusive?: SyntaxNode;
  readonly aliases?: Readonly<Record<string, SyntaxNode>>;
};

/** One item of `$expand`. `suffix` requests the references, the count or the media value instead of the entities. */
export type ExpandItem = Span & {
  readonly path: readonly string[];
  readonly suffix: "$ref" | "$count" | "$value" | null;
  readonly options: SelectOptions | null;
};

/** `expression as name` in `$compute`. */
export type ComputeItem = Span & { readonly expression: SyntaxNode; readonly name: string };

/**
 * One transformation of `$apply` (OData Extension for Data Aggregation 4.0, section 3). Deliberately generic:
 * `aggregate`, `groupby`, `filter`, `topcount`, … are distinguished by `name` when they are bound.
 */
export type Transformation = Span & {
  readonly kind: "Transformation";
  readonly name: string;
  readonly args: readonly ApplyArgument[];
};

export type ApplyArgument =
  | { readonly kind: "Expression"; readonly expression: SyntaxNode }
  | AggregateItem
  | (Span & { readonly kind: "Rollup"; readonly items: readonly SyntaxNode[] })
  /** `rolluprecursive(nodes,qualifier,path,transformations)` */
  | (Span & { readonly kind: "RollupRecursive"; readonly args: readonly ApplyArgument[] })
  | (Span & { readonly kind: "Grouping"; readonly items: readonly (SyntaxNode | ApplyArgument)[] })
  | { readonly kind: "Sequence"; readonly transformations: readonly Transformation[] }
  /** `transformations as alias` in `nest` and `addnested` */
  | { readonly kind: "Nested"; readonly transformations: readonly Transformation[]; readonly alias: string }
  /** `path as alias` in `join` and `outerjoin` */
  | { readonly kind: "Joined"; readonly expression: SyntaxNode; readonly alias: string }
  | { readonly kind: "OrderBy"; readonly items: readonly OrderByItem[] }
  | { readonly kind: "Search"; readonly search: SearchNode }
  | { readonly kind: "Compute"; readonly items: readonly ComputeItem[] }
  /** `name=value` of a custom set transformation */
  | { readonly kind: "Parameter"; readonly name: string; readonly value: SyntaxNode }
  | { readonly kind: "Keyword"; readonly word: "keep start" | "preorder" | "postorder" };
