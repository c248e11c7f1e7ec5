import { join } from "node:path";
import { expect, test } from "vitest";
import { openSession } from "../src/load/duckdb.ts";
import { emptyFolder } from "./support/folders.ts";

test("DuckDB neither downloads nor loads extensions by itself", async () => {
  const session = await openSession(join(emptyFolder(), "copy.duckdb"), {});
  try {
    const settings = await session.run(
      "select name, value from duckdb_settings() where name like 'auto%_known_extensions' order by name",
    );
    expect(settings).toEqual([
      { name: "autoinstall_known_extensions", value: "false" },
      { name: "autoload_known_extensions", value: "false" },
    ]);
    // What a load needs is built in.
    const builtIn = await session.run(
      "select extension_name from duckdb_extensions() where loaded and extension_name in ('json', 'parquet')",
    );
    expect(builtIn).toHaveLength(2);
  } finally {
    await session.close();
  }
});
