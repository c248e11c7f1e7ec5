import {
  type BoundNode,
  type BoundQuery,
  bindQuery,
  type CompiledSql,
  compilePage,
  identifier,
  type Mapping,
  type Projection,
  parseCompute,
  parseSelect,
  type SqlFragment,
  sql,
} from "@cadastre/odata";
import { allOf, mapChildren } from "@cadastre/odata/tree";
import type { CellCounts } from "../store.ts";
import { CellCounter } from "./cell-counter.ts";
import type { ReadableTable } from "./compile.ts";
import type { AsOf, CellsRequest, CellsResult } from "./request.ts";
import { changedConditions } from "./versions.ts";

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
 * @param query selects two numbers
 * @param since set to compile the changes too. Rows that may change without a new version have none
 */
export function compileCells(
  query: BoundQuery,
  readable: ReadableTable,
  cellsPerUnit: number,
  since: AsOf | undefined,
): CellsRequest {
  const { mapping, table } = readable;
  const countOf = (asked: BoundQuery, over: Mapping) => compileCount(asked, readable, cellsPerUnit, over);
  const current = countOf(query, mapping.current);
  if (since === undefined || table.follows !== undefined) return { current };
  const { checkpoint } = since;
  const over = mapping.changed(true);
  const last = Number.MAX_SAFE_INTEGER;
  const of = (state: Parameters<typeof changedConditions>[0]) => ({
    ...query,
    filter: allOf(...changedConditions(state), query.filter),
  });
  const began = of({ checkpoint: last, changes: { kind: "began", since: checkpoint, few: true } });
  const ended = of({ checkpoint, changes: { kind: "ended", until: last, few: true } });
  return {
    current,
    changes: {
      ...since,
      began: countOf(began, over.current),
      ended: countOf(ended, over.closed),
    },
  };
}

function compileCount(
  query: BoundQuery,
  { forms }: ReadableTable,
  cellsPerUnit: number,
  over: Mapping,
): CompiledSql {
  const columns = query.select.map((projection, place): SqlFragment => {
    const cell =
      forms.storedCell?.(projection, cellsPerUnit, over) ??
      forms.computed(query, { ...projection, expression: cellNode(projection, cellsPerUnit) }, over);
    return sql`${cell} as ${identifier(`cell${place}`)}`;
  });
  const { text, values } = compilePage(
    { ...query, orderBy: [], skip: 0, top: everyRow, after: null },
    forms.dialect,
    over,
    { columns },
  );
  return { text: forms.cellCounts(text), values };
}

/** Returns current counts. @param known counts that a change is the difference to */
export function currentCells(read: CellsResult | undefined, known: CellCounts | undefined): Int32Array {
  if (read === undefined) throw new RangeError("a read of cells gives cells");
  const { counts, isChange } = read;
  if (!isChange || known === undefined) return counts;
  if (counts.length === 0) return known.cells;
  return addChange(known.cells, counts);
}

/** Adds a change to counts. The hash table is that of the change alone: it is small, and the counts may be of a million cells. */
function addChange(known: Int32Array, change: Int32Array): Int32Array {
  const changed = new CellCounter();
  changed.addAll(change, 1);
  const cells = new Int32Array(known.length + change.length);
  let length = 0;
  for (let at = 0; at < known.length; at += 3) {
    const [first, second] = [known[at] as number, known[at + 1] as number];
    const count = (known[at + 2] as number) + changed.take(first, second);
    if (count === 0) continue;
    cells[length++] = first;
    cells[length++] = second;
    cells[length++] = count;
  }
  const added = changed.finish();
  cells.set(added, length);
  return cells.slice(0, length + added.length);
}
