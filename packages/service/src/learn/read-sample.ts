import type { Catalog, Field, LocalResource, OriginatingSystem } from "@cadastre/reso";
import { type Format, formatOf } from "../ingest/format.ts";
import { IngestError } from "../ingest/ingest-error.ts";
import { openInput, PartLines } from "../ingest/input.ts";
import { listedValuesOf } from "../ingest/listed-values.ts";
import { readers } from "../ingest/read-records.ts";
import { roundingOf } from "../ingest/rounding.ts";
import type { FeedLookupValue, FeedSchema } from "./feed-schema.ts";
import { fieldAlsoCalled, identifierOf } from "./field-names.ts";
import { LearnError } from "./learn-error.ts";
import { SampleColumn } from "./sample-column.ts";

/** A file of records, and how much of it is read. */
export type Sample = {
  readonly file: string;
  readonly resource: LocalResource;
  /** Undefined: that of the file's name or text. */
  readonly format: Format | undefined;
  /** Most records that are read. */
  readonly limit: number;
  /** True if a lookup that lists its values is to have rare ones too. */
  readonly takesRareValues: boolean;
};

/** Fields that a sample suggests, and what it was. */
export type SampleSchema = FeedSchema & {
  readonly records: number;
  /** Remarks on the file. */
  readonly notes: readonly string[];
};

/** Most members that the records of a sample may have, taken together. A file of other data may have a new one in each record. */
const mostColumns = 5000;

/**
 * Reads the beginning of a file, and tells the fields that its values suggest.
 *
 * @param onProgress takes the number of records read
 * @throws {LearnError | IngestError} if it cannot be read, or holds no records
 */
export async function readSample(
  { file, resource, format: given, limit, takesRareValues }: Sample,
  system: OriginatingSystem,
  catalog: Catalog,
  onProgress: (records: number) => void = () => {},
): Promise<SampleSchema> {
  const input = await openInput(file, file);
  const format = given ?? formatOf(input);
  const rules = {
    system,
    rounding: roundingOf(catalog, resource),
    isListed: listedValuesOf(catalog, { name: system.id }),
    isCell: format === "csv",
    takesRareValues,
    position: format === "common" ? "record" : "line",
  };
  const fields = catalog.fieldsOf(resource);
  const columns = new Map<string, SampleColumn>();
  const columnOf = (name: string): SampleColumn => {
    const found = columns.get(name) ?? new SampleColumn(name, knownFields(name, fields, system), rules);
    columns.set(name, found);
    if (columns.size > mostColumns)
      throw new LearnError(
        `${file}: the records have more than ${mostColumns} different members: give a file whose records have the fields of ${resource}`,
      );
    return found;
  };
  let [records, malformed, firstMalformed] = [0, 0, ""];
  // Without properties, the cells of a CSV file stay texts.
  const { type, ...set } = catalog.entitySet(resource);
  const untyped = { ...set, type: { ...type, properties: new Map() } };
  try {
    const readPart = (content: AsyncIterable<Uint8Array>) =>
      readers[format](content, untyped, (names) => names.forEach(columnOf));
    for await (const entry of new PartLines(input).entries(readPart)) {
      if ("record" in entry) {
        records++;
        for (const [name, value] of Object.entries(entry.record)) columnOf(name).add(value, entry.line);
      } else if (malformed++ === 0) firstMalformed = `${rules.position} ${entry.line}: ${entry.malformed}`;
      onProgress(records);
      if (records + malformed >= limit) break;
    }
  } catch (cause) {
    if (!(cause instanceof IngestError)) throw cause;
    throw new LearnError(`${file}: ${cause.message}`, { cause });
  }
  if (records === 0)
    throw new LearnError(
      malformed === 0
        ? `${file} holds no records: give JSON lines, CSV with a line of names, or RESO Common Format`
        : `${file} holds no records, ${firstMalformed}: is it ${format}? --format says which it is`,
    );
  const schemas = [...columns].map(([name, column]) => column.schema(resource, lookupNameOf(name, system)));
  const lookups = new Map<string, readonly FeedLookupValue[]>();
  for (const { lookups: own } of schemas)
    for (const [name, values] of own) lookups.set(name, [...(lookups.get(name) ?? []), ...values]);
  return {
    fields: schemas.map(({ field }) => field),
    lookups,
    records,
    notes: malformed === 0 ? [] : [`${malformed} entries are not records, such as ${firstMalformed}`],
  };
}

/** Returns the fields of the service that a member may be: a standard one, or one of the system, with its prefix or without. */
const knownFields = (given: string, fields: readonly Field[], { id, prefix }: OriginatingSystem) => {
  const name = identifierOf(given) ?? given;
  const own = fields.filter(
    ({ source, name: known }) => source === id && (known === name || known === prefix + name),
  );
  const standard = fieldAlsoCalled(
    fields.filter(({ source }) => source === null),
    given,
  );
  return standard === undefined ? own : [standard, ...own];
};

/** Returns the name of a lookup of the system for a field. */
const lookupNameOf = (name: string, { prefix }: OriginatingSystem): string =>
  (name.startsWith(prefix) ? name : prefix + name).replaceAll(/\W/g, "_").slice(0, 128);
