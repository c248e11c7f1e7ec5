import { type ParquetCopy, settingsOf, statementsOf } from "./duckdb-copy.ts";
import { duckdbVersion } from "./duckdb-version.ts";

/** What the process says, once, before it ends. */
export type ParquetReply = {
  /** Null: the file is there. */
  readonly failed: "parquet_unavailable" | "parquet_writer_version" | "parquet_failed" | null;
  readonly detail?: string;
};

/** A process that writes one file of Parquet, and gives its memory back by ending. */
async function write(copy: ParquetCopy): Promise<ParquetReply> {
  const duckdb = await import("@duckdb/node-api").catch(() => undefined);
  if (duckdb === undefined) return { failed: "parquet_unavailable" };
  if (duckdb.version() !== duckdbVersion)
    return { failed: "parquet_writer_version", detail: duckdb.version() };
  const instance = await duckdb.DuckDBInstance.create(":memory:", settingsOf(copy));
  const connection = await instance.connect();
  for (const statement of statementsOf(copy)) await connection.run(statement);
  return { failed: null };
}

/** What is wrong, without the values that DuckDB quotes. */
const detailOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/(["']).*?\1/gs, "…");

process.once("message", (copy) => {
  void write(copy as ParquetCopy)
    .catch((error: unknown): ParquetReply => ({ failed: "parquet_failed", detail: detailOf(error) }))
    .then((reply) => process.send?.(reply, () => process.exit()));
});
// Who asked has gone.
process.once("disconnect", () => process.exit());
