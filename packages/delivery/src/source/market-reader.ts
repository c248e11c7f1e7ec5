import type { EntitySet } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import type { KeyedLine } from "@cadastre/store/changes";
import { marketColumns, readMarketReport } from "@cadastre/store/market";
import { DeliveryError } from "../errors.ts";
import { columnOf } from "./column-types.ts";
import { comparingReader } from "./comparing-reader.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import type { ExportBatch, ExportRead } from "./export-source.ts";
import { exportBatches, linesOfRows } from "./keyed-lines.ts";

export type MarketReaderOptions = {
  readonly store: Pick<Store, "page">;
  /** Entity set of the listings, with hidden fields. */
  readonly entitySet: EntitySet;
  /** Minimum cell size: the smallest number of listings that are reported together. */
  readonly least: number;
};

/**
 * Returns a reader of market reports: one row for each month, place and type. The report is small, so changes are found by computing it
 * twice. A position holds the minimum cell size; if that has been changed since, `read` cannot continue and throws
 * `basis_changed`.
 */
export const marketReader = (options: MarketReaderOptions): DatasetReader =>
  comparingReader(
    {
      columns: (scope) => (scope.visible(options.entitySet.name) ? marketColumns.map(columnOf) : undefined),
      read: (request) => batchesOf(options, request),
      basis: async () => String(options.least),
    },
    "id",
    (request) => linesOf(options, request, null),
  );

/** Minimum cell size, and id of the row before. */
type Position = readonly [least: number, after: string | null];

async function* batchesOf(options: MarketReaderOptions, request: ExportRead): AsyncGenerator<ExportBatch> {
  const { least } = options;
  const { from } = request;
  const [begun, after] = from === null ? [least, null] : (JSON.parse(from) as Position);
  if (begun !== least) throw new DeliveryError("basis_changed");
  yield* exportBatches(linesOf(options, request, after), (id) =>
    JSON.stringify([least, id] satisfies Position),
  );
}

const linesOf = (
  { store, entitySet, least }: MarketReaderOptions,
  { scope, columns, checkpoint, signal }: ExportRead,
  after: string | null,
): AsyncIterable<KeyedLine> =>
  linesOfRows(
    readMarketReport({ store, entitySet, scope }, { asOf: checkpoint, after, least, signal }),
    columns,
  );
