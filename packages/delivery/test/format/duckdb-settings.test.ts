import { tmpdir } from "node:os";
import { DuckDBInstance } from "@duckdb/node-api";
import { expect, test } from "vitest";
import { duckdbSettings } from "../../src/format/duckdb-copy.ts";

test("the writer of Parquet neither downloads nor loads extensions by itself", async () => {
  const copy = { columns: [], from: "", to: "", folder: tmpdir(), memory: 256, cells: 1, level: 1 };
  const instance = await DuckDBInstance.create(":memory:", duckdbSettings(copy));
  const connection = await instance.connect();
  try {
    const reader = await connection.runAndReadAll(
      "select name, value from duckdb_settings() where name like 'auto%_known_extensions' order by name",
    );
    expect(reader.getRowObjects()).toEqual([
      { name: "autoinstall_known_extensions", value: "false" },
      { name: "autoload_known_extensions", value: "false" },
    ]);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
});
