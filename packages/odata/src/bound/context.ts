import type { Instant, PrimitiveType, StructuredType } from "../model/types.ts";
import type { Limits } from "../syntax/limits.ts";
import type { SyntaxNode } from "../syntax/tree.ts";
import type { BoundNode, VariableNode } from "./tree.ts";

/** Inputs of binding besides the text of the query. */
export type BindOptions = {
  /** Values of parameter aliases by name, with the at sign. */
  readonly aliases?: Readonly<Record<string, SyntaxNode>>;
  /** Value of `now()`. By default the time of binding. */
  readonly now?: () => Instant;
  /**
   * `$ignorecase`: true if `eq`, `ne`, `in`, `contains`, `startswith` and `endswith` of a filter compare text
   * case-insensitively. By default false.
   */
  readonly ignoreCase?: boolean;
  /**
   * Names of the string properties that `$search` searches. Names that the entity set does not have are ignored.
   */
  readonly searchable?: readonly string[];
  /**
   * Returns the name of the entity set that has the entities of a type, for `$ref` in `$expand`. Undefined if there is none. By default there
   * is none.
   */
  readonly entitySetOf?: (type: StructuredType) => string | undefined;
  /** Properties that `$compute` adds to the entity, as `bindCompute` returns them. */
  readonly computed?: ComputedExpressions;
  /**
   * Limits of an option after its parameter aliases are replaced by their values: the limits that its text is
   * parsed with.
   */
  readonly limits?: Limits;
};

/** Expressions by the names that `$compute` gives them. */
export type ComputedExpressions = ReadonlyMap<string, BoundNode>;

/** A parameter alias whose value is being read, and the aliases that enclose it. */
export type OpenAlias = { readonly name: string; readonly outer: OpenAlias | null };

/** Scope of names at one point of a query, passed down and narrowed on the way. */
export type Context = Required<Omit<BindOptions, "searchable" | "limits" | "entitySetOf">> & {
  /** Type of the queried entity, which `$it` refers to. */
  readonly root: StructuredType;
  /**
   * The instance whose properties bare names refer to: the entity itself, or the item `node` inside a collection.
   */
  readonly instance: { readonly type: StructuredType | PrimitiveType; readonly node?: VariableNode };
  readonly variables: readonly VariableNode[];
  /** The innermost alias whose value is being bound. */
  readonly openAlias: OpenAlias | null;
  /** Binds a node of any kind. */
  readonly bind: (node: SyntaxNode, context: Context) => BoundNode;
};
