import {
  type BoundNode,
  type BoundQuery,
  bindQuery,
  type CompiledSql,
  compilePage,
  identifier,
  type Projection,
  parseCompute,
  parseSelect,
  type SqlFragment,
  sql,
} from "@cadastre/odata";
import { mapChildren } from "@cadastre/odata/tree";
import type { ReadableTable } from "./compile.ts";

/** More rows than any table has. The compiler wants a limit. */
const everyRow = 2 ** 31 - 1;

/** Name of the computed column of {@link cellNode}. */
const computed = "Cell";

/** Returns `cast(floor(expression mul cellsPerUnit),Edm.Int64)`: the number of the cell that a value lies in. */
function cellNode({ property, expression }: Projection, cellsPerUnit: number): BoundNode {
  const entitySet = {
    name: property.name,
    type: { name: property.name, key: [], properties: new Map([[property.name, property]]) },
  };
  const template = bindQuery(
    {
      compute: parseCompute(`cast(floor(${property.name} mul ${cellsPerUnit}),Edm.Int64) as ${computed}`),
      select: parseSelect(computed),
      top: 0,
    },
    entitySet,
  );
  const withExpression = (node: BoundNode): BoundNode =>
    node.kind === "Property" && node.property === property ? expression : mapChildren(node, withExpression);
  const [projection] = template.select;
  if (projection === undefined)
    throw new RangeError("a computed column that is selected is in the selection");
  return withExpression(projection.expression);
}

/**
 * Compiles the number of current records in each cell of a grid, as rows of both numbers of a cell and that of its records.
 *
 * @param query selects two numbers
 */
export function compileCells(
  query: BoundQuery,
  { mapping, forms }: ReadableTable,
  cellsPerUnit: number,
): CompiledSql {
  const { current } = mapping;
  const columns = query.select.map((projection, place): SqlFragment => {
    const cell =
      forms.storedCell?.(projection, cellsPerUnit, current) ??
      forms.computed(query, { ...projection, expression: cellNode(projection, cellsPerUnit) }, current);
    return sql`${cell} as ${identifier(`cell${place}`)}`;
  });
  const { text, values } = compilePage(
    { ...query, orderBy: [], skip: 0, top: everyRow, after: null },
    forms.dialect,
    current,
    { columns },
  );
  return { text: `select cell0, cell1, count(*) from (${text}) as located group by cell0, cell1`, values };
}

/** Collects the rows of {@link compileCells}. Records without one of the two values are in no cell. */
export class CellRows {
  #cells = new Int32Array(3 * 1024);
  #length = 0;

  add([first, second, count]: readonly unknown[]): void {
    if (first === null || second === null) return;
    if (this.#length + 3 > this.#cells.length) {
      const larger = new Int32Array(2 * this.#cells.length);
      larger.set(this.#cells);
      this.#cells = larger;
    }
    this.#cells[this.#length++] = Number(first);
    this.#cells[this.#length++] = Number(second);
    this.#cells[this.#length++] = Number(count);
  }

  finish(): Int32Array {
    return this.#cells.slice(0, this.#length);
  }
}
