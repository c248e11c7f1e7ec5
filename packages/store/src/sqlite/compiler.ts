import { datasetProperty } from "@cadastre/entitlement";
import {
  type BoundNode,
  type BoundQuery,
  type CompiledSql,
  type Compiler,
  cachedCompiler,
  identifier,
  type Mapping,
  type SqlFragment,
  sql,
  sqlite,
} from "@cadastre/odata";
import { orderIndexOf } from "../read/order-index.ts";
import { recordColumns, type TableSchema } from "../schema/table.ts";
import { visiting } from "./deadline.ts";

/** Dataset, text, members, key. */
export const columnsOfRecord = ({ key }: TableSchema): readonly SqlFragment[] => [
  identifier(datasetProperty.name),
  // As bytes, without a string in between.
  sql`cast(${identifier(recordColumns.text)} as blob)`,
  identifier(recordColumns.members),
  ...key.map(({ name }) => identifier(name)),
];

/** Compiles queries over the current versions, and remembers their shapes. */
export class CurrentCompiler {
  readonly #table: TableSchema;
  readonly #mapping: Mapping;
  readonly #guarded: Compiler;
  readonly #unguarded: Compiler;
  readonly #byIndex = new Map<string, Compiler>();

  constructor(table: TableSchema, mapping: Mapping) {
    this.#table = table;
    this.#mapping = mapping;
    this.#guarded = this.#compiler(mapping);
    this.#unguarded = cachedCompiler(sqlite, { from: mapping.from, column: mapping.column });
  }

  page(query: BoundQuery): CompiledSql {
    return this.#guarded.page(query);
  }

  /** The page by an index in the query's order, if there is one; it counts the rows that it looks at. */
  orderedPage(query: BoundQuery): CompiledSql | undefined {
    const index = orderIndexOf(query, this.#table.indexes);
    if (index === undefined) return undefined;
    const known = this.#byIndex.get(index.name);
    const compiler = known ?? this.#compiler(by(index.name, this.#mapping));
    if (known === undefined) this.#byIndex.set(index.name, compiler);
    return compiler.page(query);
  }

  count(query: BoundQuery): CompiledSql {
    return this.#guarded.count(query);
  }

  /** The count without the guard, for a filter that never takes long for a row. */
  unguardedCount(query: BoundQuery): CompiledSql | undefined {
    return isCheap(query.filter) ? this.#unguarded.count(query) : undefined;
  }

  #compiler(mapping: Mapping): Compiler {
    return cachedCompiler(sqlite, mapping, { columns: columnsOfRecord(this.#table) });
  }
}

const by = (index: string, { from, column }: Mapping): Mapping => ({
  from: sql`${from} indexed by ${identifier(index)}`,
  column,
  where: visiting,
});

/** Whether it compares, and computes nothing. */
function isCheap(node: BoundNode): boolean {
  switch (node.kind) {
    case "Constant":
    case "Property":
      return true;
    case "Compare":
      return isCheap(node.left) && isCheap(node.right);
    case "Membership":
      return isCheap(node.operand) && node.values.every(isCheap);
    case "Logical":
      return node.operands.every(isCheap);
    case "Not":
      return isCheap(node.operand);
    default:
      return false;
  }
}
