import { existsSync, statSync } from "node:fs";
import { appendFile, open, readFile, writeFile } from "node:fs/promises";
import type { Row } from "@cadastre/odata";
import { type Field, type ResoResource, valueRange } from "@cadastre/reso";
import { z } from "zod";
import { fileReason, isFileError } from "../file-error.ts";
import { IngestError } from "./ingest-error.ts";
import type { Note } from "./notes.ts";
import { quotedKey, rejectedValue } from "./quoted-text.ts";
import { type FaultCode, faultReasons, type RecordFault } from "./record-faults.ts";

/** End of the default name of a file of rejects. Feeds do not read such files. */
export const rejectsEnding = ".rejects.jsonl";

/** A line of the rejects file. */
export type Reject = {
  readonly line: number;
  /** Key of the record, cut if it is long. Null if it has none. */
  readonly key: string | null;
  readonly field: string | null;
  /** The value at fault, cut if it is long. Undefined if there is none, or if it may be personal. */
  readonly value?: string;
  readonly code: FaultCode;
  readonly reason: string;
};

/** Returns the lines of the rejects file about the faults of a record. */
export const rejectsOf = (
  line: number,
  faults: readonly RecordFault[],
  resource: ResoResource,
  record: Row,
): readonly Reject[] =>
  faults.map((fault) => {
    const { field, code } = fault;
    const value = rejectedValue(fault, resource, record);
    const key = quotedKey(record[resource.key]);
    return {
      line,
      key,
      field,
      ...(value === undefined ? {} : { value }),
      code,
      reason: reasonOf(fault, resource),
    };
  });

/** Returns the reason of a fault, with the limit that the value exceeds. */
function reasonOf({ field: name, code }: RecordFault, { fields }: ResoResource): string {
  const field = fields.find((one) => one.name === name);
  const limit = field && limits[code]?.(field);
  return limit === undefined ? faultReasons[code] : `${faultReasons[code]}: ${limit}`;
}

/** Text of the limit of a field, for the faults that a limit explains. */
const limits: Partial<Record<FaultCode, (field: Field) => string | undefined>> = {
  too_long: ({ maxLength }) => (maxLength === undefined ? undefined : `at most ${maxLength} characters`),
  too_large: digitsText,
  too_precise: digitsText,
  out_of_range: (field) => {
    const range = valueRange(field);
    return range && `${range.least} to ${range.greatest}`;
  },
};

function digitsText({ type, precision, scale = 0 }: Field): string | undefined {
  if (type === "Edm.DateTimeOffset") return "3 digits of a second";
  if (type !== "Edm.Decimal") return type;
  return precision === undefined
    ? undefined
    : `at most ${precision} digits, ${scale} of them right of the point`;
}

const entry = z.union([
  z.object({ reason: z.string(), code: z.string(), line: z.number().optional() }),
  z.object({ reason: z.string(), note: z.string(), line: z.number().optional() }),
]);

/** Parses a line of a rejects file. Undefined for any other text. */
function entryIn(text: string): z.output<typeof entry> | undefined {
  try {
    return entry.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Number of bytes that are read to recognise a rejects file by its first line. */
const longestEntry = 1 << 16;

/**
 * Calls `work`, which uses a rejects file.
 *
 * @throws {IngestError} in place of an error of the file system
 */
export async function withRejects<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new IngestError(
      `the rejects cannot be written to ${file}: ${fileReason(error)}; name another file with --rejects`,
      { cause: error },
    );
  }
}

/** @throws {IngestError} if the file cannot be opened, or has other content, which would be overwritten */
export const requireRejects = (file: string): Promise<void> => withRejects(file, () => requireOwn(file));

async function requireOwn(file: string): Promise<void> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestEntry), 0, longestEntry, 0);
    const [first = ""] = buffer.toString("utf8", 0, bytesRead).split("\n");
    if (bytesRead > 0 && entryIn(first) === undefined)
      throw new IngestError(`${file} is there and holds no rejects: name another file with --rejects`);
  } finally {
    await handle.close();
  }
}

/**
 * Creates or empties a rejects file.
 *
 * @param keptLines entries for input lines up to this one are kept; 0: none
 * @throws {IngestError} if the file cannot be written, or has other content
 */
export const beginRejects = (file: string, keptLines: number): Promise<void> =>
  withRejects(file, () => begin(file, keptLines));

async function begin(file: string, keptLines: number): Promise<void> {
  await requireOwn(file);
  const kept =
    keptLines === 0 || !existsSync(file)
      ? []
      : (await readFile(file, "utf8"))
          .split("\n")
          .filter((text) => (entryIn(text)?.line ?? Infinity) <= keptLines);
  await writeFile(file, kept.map((text) => `${text}\n`).join(""), { mode: 0o600 });
}

/** Appends rejects, and notes on changed records. */
export const appendRejects = (file: string, told: readonly (Reject | Note)[]): Promise<void> =>
  withRejects(file, () => appendFile(file, told.map((one) => `${JSON.stringify(one)}\n`).join("")));
