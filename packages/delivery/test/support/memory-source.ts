import type { ExportColumn, ExportSource } from "../../src/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** A source over records in memory, in the order given, whose batches have the sizes of `sizes` in turn. */
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
        // Whoever still holds it holds something else.
        bytes.fill(0x20);
      }
    },
  };
}

/** The line of a record: its columns in order, those without a value left out. */
export const lineOf = (columns: readonly ExportColumn[], record: Json): string =>
  JSON.stringify(
    Object.fromEntries(columns.flatMap(({ name }) => (record[name] === null ? [] : [[name, record[name]]]))),
  );
