import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { marketColumns, readMarketReport } from "@cadastre/store/market";
import { DeliveryError } from "../errors.ts";
import { columnOf } from "./column-types.ts";
import { comparingReader } from "./comparing-reader.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import type { ExportBatch, ExportRead } from "./export-source.ts";
import { batchesOfRows } from "./row-batches.ts";

export type MarketReaderOptions = {
  readonly store: Pick<Store, "page">;
  /** The listings, hidden fields and all. */
  readonly entitySet: EntitySet;
  /** Listings that are counted together at least. */
  readonly least: number;
};

/**
 * How the market was in each month, by place and type, a row each. It is small: changes are found by computing it twice. A
 * position holds how many listings the rows before it count at least: with another number a walk cannot go on, and `read`
 * throws `basis_changed`.
 */
export const marketReader = (options: MarketReaderOptions): DatasetReader =>
  comparingReader(
    {
      columns: (scope) => (scope.visible(options.entitySet.name) ? marketColumns.map(columnOf) : undefined),
      read: (request) => batchesOf(options, request),
      basis: async () => String(options.least),
    },
    "id",
  );

/** Listings that are counted together at least, and the id of the row before. */
type Position = readonly [least: number, after: string | null];

async function* batchesOf(
  { store, entitySet, least }: MarketReaderOptions,
  { scope, columns, checkpoint, from, signal }: ExportRead,
): AsyncGenerator<ExportBatch> {
  const [begun, after] = from === null ? [least, null] : (JSON.parse(from) as Position);
  if (begun !== least) throw new DeliveryError("basis_changed");
  const report = readMarketReport({ store, entitySet, scope }, { asOf: checkpoint, after, least, signal });
  yield* batchesOfRows(report, columns, ({ id }) => JSON.stringify([least, id] satisfies Position));
}
