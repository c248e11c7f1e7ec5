import { Readable } from "node:stream";
import type { ManifestPart, ManifestProfile } from "@cadastre/manifest";
import { CsvError, parse } from "csv-parse";
import { ClientError } from "../errors.ts";

/** Number of records in a batch. */
const batchSize = 500;

/** Converts the records of CSV to JSON texts. Each cell is a text; an empty cell is left out unless it is quoted. */
export async function* csvRecords(
  bytes: AsyncIterable<Uint8Array>,
  part: ManifestPart,
  { csv }: ManifestProfile,
): AsyncGenerator<readonly string[]> {
  const parser = parse({
    delimiter: csv?.delimiter ?? ",",
    columns: true,
    bom: false,
    cast: (value, { quoting }) => (value === "" && !quoting ? undefined : value),
  });
  const source = Readable.from(bytes);
  source.once("error", (error) => parser.destroy(error));
  let batch: string[] = [];
  let row = 0;
  try {
    for await (const record of source.pipe(parser) as AsyncIterable<Record<string, string | undefined>>) {
      row++;
      batch.push(JSON.stringify(record));
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ClientError("part_malformed", { part: String(part.number), row: String(row + 1) });
  }
  if (batch.length > 0) yield batch;
}
