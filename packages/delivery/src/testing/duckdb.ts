import { DuckDBInstance } from "@duckdb/node-api";

/** Runs a query in DuckDB. Returns its rows, with values as in JSON. */
export async function askDuckDb(query: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return (await connection.runAndReadAll(query)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
