import { visibleEntitySet } from "@cadastre/entitlement";
import type { EntitySet, Row } from "@cadastre/odata";
import type { Store } from "@cadastre/store";
import { propertyColumns, propertyRow, readProperties } from "@cadastre/store/property";
import type { IdentityRegister } from "@cadastre/store/registry";
import { DeliveryError } from "../errors.ts";
import type { ExportBatch, ExportRead } from "../source.ts";
import { columnOf } from "./column-types.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import { batchesOfRows } from "./row-batches.ts";

export type PropertyReaderOptions = {
  readonly store: Pick<Store, "page">;
  /** The listings, hidden fields and all. */
  readonly entitySet: EntitySet;
  readonly identities: Pick<IdentityRegister, "resolutions" | "revision">;
};

/**
 * Canonical properties, a row each. A position holds which resolutions of identities the rows before it were made of: after
 * another one is made, a walk cannot go on, and `read` throws `identities_changed`.
 */
export const propertyReader = (options: PropertyReaderOptions): DatasetReader => ({
  columns: (scope) => {
    const { entitySet } = options;
    return scope.visible(entitySet.name)
      ? propertyColumns(visibleEntitySet(entitySet, scope)).map(columnOf)
      : undefined;
  },
  read: (request) => batchesOf(options, request),
});

/** The revision of the resolutions, and the id of the property before. */
type Position = readonly [revision: number, after: string | null];

async function* batchesOf(
  { store, entitySet, identities }: PropertyReaderOptions,
  { scope, columns, checkpoint, from, signal }: ExportRead,
): AsyncGenerator<ExportBatch> {
  const revision = await identities.revision();
  const [begun, after] = from === null ? [revision, null] : (JSON.parse(from) as Position);
  const resolutions = await identities.resolutions();
  if (begun !== revision || revision !== (await identities.revision()))
    throw new DeliveryError("identities_changed");
  const properties = readProperties(
    { store, entitySet, scope, resolutions },
    { asOf: checkpoint, after, signal },
  );
  const positionAfter = ({ id }: Row) => JSON.stringify([revision, String(id)] satisfies Position);
  yield* batchesOfRows(rowsOf(properties), columns, positionAfter);
}

async function* rowsOf(properties: ReturnType<typeof readProperties>): AsyncGenerator<Row> {
  for await (const property of properties) yield propertyRow(property);
}
