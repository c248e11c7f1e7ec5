import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { marketColumns, readMarketReport } from "@cadastre/store/market";
import { columnOf } from "./column-types.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import { batchesOfRows } from "./row-batches.ts";

/**
 * How the market was in each month, by place and type, a row each.
 *
 * @param entitySet the listings, hidden fields and all
 */
export const marketReader = (store: Pick<Store, "page">, entitySet: EntitySet): DatasetReader => ({
  columns: (scope) => (scope.visible(entitySet.name) ? marketColumns.map(columnOf) : undefined),
  read: ({ scope, columns, checkpoint, from, signal }) => {
    const report = readMarketReport({ store, entitySet, scope }, { asOf: checkpoint, after: from, signal });
    return batchesOfRows(report, columns, ({ id }) => id);
  },
});
