import type { Instant, PrimitiveType, StructuredType } from "../model/types.ts";
import type { Limits } from "../syntax/limits.ts";
import type { SyntaxNode } from "../syntax/tree.ts";
import type { OpenAlias } from "./alias-limits.ts";
import type { BoundNode, VariableNode } from "./tree.ts";

/** What a query is bound with besides its text. */
export type BindOptions = {
  /** Values of parameter aliases by name, with the at sign. */
  readonly aliases?: Readonly<Record<string, SyntaxNode>>;
  /** What `now()` means. By default the time of binding. */
  readonly now?: () => Instant;
  /**
   * `$ignorecase`: whether `eq`, `ne`, `in`, `contains`, `startswith` and `endswith` of a filter compare texts without
   * regard to case. By default they do not.
   */
  readonly ignoreCase?: boolean;
  /** Names of the properties whose words `$search` finds: those that the entity set has, texts all of them. */
  readonly searchable?: readonly string[];
  /** Properties that `$compute` adds to the entity, as `bindCompute` gives them. */
  readonly computed?: Computed;
  /** Limits of an option whose parameter aliases are replaced by their values: those that its text is parsed with. */
  readonly limits?: Limits;
};

/** Expressions by the names that `$compute` gives them. */
export type Computed = ReadonlyMap<string, BoundNode>;

/** What names mean at some place of a query, passed down and narrowed on the way. */
export type Context = Required<Omit<BindOptions, "searchable" | "limits">> & {
  /** Type of the entity that the query is about: `$it`. */
  readonly root: StructuredType;
  /** What a bare name is a property of: the entity itself, unless `node` says which item. */
  readonly instance: { readonly type: StructuredType | PrimitiveType; readonly node?: VariableNode };
  readonly variables: readonly VariableNode[];
  /** The innermost alias whose value is being bound. */
  readonly openAlias: OpenAlias | null;
  /** The dispatcher: binds a node of any kind. */
  readonly bind: (node: SyntaxNode, context: Context) => BoundNode;
};
