import { copyStatements, duckdbSettings, type ParquetCopy } from "./duckdb-copy.ts";
import { duckdbVersion } from "./duckdb-version.ts";

/** The message that the process sends after each file. */
export type ParquetReply = {
  /** Null: the file is written. */
  readonly failed: "parquet_unavailable" | "parquet_writer_version" | "parquet_failed" | null;
  readonly detail?: string;
};

/** Writes a Parquet file. It runs in a process of its own, so that its memory is freed when the process exits. */
async function write(copy: ParquetCopy): Promise<ParquetReply> {
  const duckdb = await import("@duckdb/node-api").catch(() => undefined);
  if (duckdb === undefined) return { failed: "parquet_unavailable" };
  if (duckdb.version() !== duckdbVersion)
    return { failed: "parquet_writer_version", detail: duckdb.version() };
  const instance = await duckdb.DuckDBInstance.create(":memory:", duckdbSettings(copy));
  const connection = await instance.connect();
  try {
    for (const statement of copyStatements(copy)) await connection.run(statement);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
  return { failed: null };
}

/** Returns the error's message without the values that DuckDB quotes in it. */
const detailOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/(["']).*?\1/gs, "…");

process.on("message", (copy) => {
  void write(copy as ParquetCopy)
    .catch((error: unknown): ParquetReply => ({ failed: "parquet_failed", detail: detailOf(error) }))
    .then((reply) => process.send?.(reply));
});
// The parent process is gone.
process.once("disconnect", () => process.exit());
