// What `sqlite3 -json` wrote, to Parquet by DuckDB alone: node … copy.ts <JSON file> <Parquet file>
import { DuckDBInstance } from "@duckdb/node-api";

const [from = "", to = ""] = process.argv.slice(2);
const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "384MB" });
const connection = await instance.connect();
await connection.run(`COPY (FROM read_json('${from}')) TO '${to}' (FORMAT parquet, COMPRESSION zstd)`);
