import { DeliveryError } from "../errors.ts";
import type { DatasetReader } from "./dataset-reader.ts";
import type { ExportBatch, ExportRead } from "./export-source.ts";

/** Basis, and position in the reader below. */
type Position = readonly [basis: string, from: string];

/**
 * Adds an input that has no checkpoint to a reader: a text that identifies it is the reader's basis. A position holds that text; if the
 * input has been changed since, `read` cannot continue and throws `basis_changed`.
 */
export const pinnedReader = (reader: DatasetReader, basis: string): DatasetReader => ({
  ...reader,
  basis: async () => basis,
  read: (request) => pinnedBatches(reader, request, basis),
});

async function* pinnedBatches(
  reader: DatasetReader,
  request: ExportRead,
  basis: string,
): AsyncGenerator<ExportBatch> {
  const [begun, from] = request.from === null ? [basis, null] : (JSON.parse(request.from) as Position);
  if (begun !== basis) throw new DeliveryError("basis_changed");
  for await (const batch of reader.read({ ...request, from }))
    yield { ...batch, end: JSON.stringify([basis, batch.end] satisfies Position) };
}
