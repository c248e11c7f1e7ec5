import type { CrosswalkEntry } from "@cadastre/store/registry";
import { parse } from "csv-parse/sync";
import { isCanonicalPlacekey } from "../identity/placekey.ts";
import { IngestError } from "./ingest-error.ts";

const columns = ["ListingKey", "Placekey"] as const;

type CsvRow = Readonly<Partial<Record<string, string>>>;

/**
 * Parses a crosswalk: CSV with the columns `ListingKey` and `Placekey`. An empty Placekey removes the operator's assignment, so that the
 * source's own Placekey is used again.
 *
 * @throws {IngestError} if the text is not CSV, or a record has no `ListingKey` or an invalid Placekey
 */
export function readCrosswalk(text: string): readonly CrosswalkEntry[] {
  return readRows(text).map((row, i) => {
    const [listing, placekey] = columns.map((name) => row[name]?.trim());
    if (listing === undefined || listing === "" || placekey === undefined)
      throw new IngestError(`record ${i + 1} lacks one of the columns ${columns.join(" and ")}`);
    if (placekey !== "" && !isCanonicalPlacekey(placekey))
      throw new IngestError(`record ${i + 1} has no canonical Placekey`);
    return { listing, placekey: placekey === "" ? null : placekey };
  });
}

function readRows(text: string): readonly CsvRow[] {
  try {
    return parse<CsvRow>(text, { bom: true, columns: true, skip_empty_lines: true });
  } catch (cause) {
    throw new IngestError("the crosswalk is not CSV", { cause });
  }
}
