import type { Catalog, RecordName } from "@cadastre/reso";
import type { Entry, FileContent } from "./entry.ts";
import type { Format } from "./format.ts";
import { mapRecord, type SourceMapping, sourceEntitySet } from "./mapping.ts";
import { readers } from "./read-records.ts";

type MappedFile = {
  readonly format: Format;
  readonly catalog: Catalog;
  readonly resource: RecordName;
  readonly mapping: SourceMapping | undefined;
};

/** Yields the entries of a file, with their records mapped. */
export async function* mappedEntries(
  content: FileContent,
  { format, catalog, resource, mapping }: MappedFile,
): AsyncGenerator<Entry> {
  const entitySet = mapping === undefined ? catalog.entitySet(resource) : sourceEntitySet(mapping, resource);
  for await (const entry of readers[format](content, entitySet))
    yield mapping === undefined || !("record" in entry)
      ? entry
      : { line: entry.line, record: mapRecord(mapping, resource, entry.record) };
}
