import type { ExportColumn, ExportSource } from "../../src/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** Returns a source over records in memory, in the given order. `sizes` returns the size of each batch. */
export function memorySource(
  columns: readonly ExportColumn[],
  lines: readonly string[],
  sizes: () => number = () => 1000,
): ExportSource {
  return {
    checkpoint: async () => 1,
    columns: () => columns,
    read: async function* ({ from }) {
      for (let at = Number(from ?? 0); at < lines.length; ) {
        const some = lines.slice(at, at + Math.max(1, sizes()));
        at += some.length;
        const bytes = Buffer.from(some.map((line) => `${line}\n`).join(""));
        yield { lines: bytes, length: some.length, end: String(at) };
        // Overwrites the batch, so that a caller that still uses it is detected.
        bytes.fill(0x20);
      }
    },
  };
}

/** Returns the line of a record: its columns in order, without those that are null. */
export const lineOf = (columns: readonly ExportColumn[], record: Json): string =>
  JSON.stringify(
    Object.fromEntries(columns.flatMap(({ name }) => (record[name] === null ? [] : [[name, record[name]]]))),
  );
