import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Row } from "./deliveries.ts";

const column = (name: string, type: unknown, collection = false) => ({ name, type, collection, title: null });

export const lakeSchema = JSON.stringify({
  documentVersion: 2,
  datasets: [
    {
      name: "listing",
      columns: [
        column("ListingKey", "string"),
        column("ListPrice", { decimal: [16, 4] }),
        column("Changed", "timestamp"),
        column("Cooling", "string", true),
        column("Later", "int64"),
        column("OriginatingSystemName", "string"),
      ],
    },
    { name: "media_assets", columns: [column("MediaAssetId", "string"), column("Bytes", "int64")] },
    { name: "property", columns: [column("Id", "string")] },
  ],
});

export const lakePointer = (folder: string) =>
  JSON.parse(readFileSync(join(folder, "latest.json"), "utf8")) as {
    readonly path: string;
    readonly tables: Readonly<Record<string, { readonly rows: number }>>;
  };

/** Reads a table of a Parquet dataset as a stranger does, ordered by its first column. */
export async function readLakeTable(
  folder: string,
  table = "listing",
  path = lakePointer(folder).path,
): Promise<readonly Row[]> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run("set timezone = 'UTC'");
  const from = `read_parquet('${folder}/${path}/${table}/**/*.parquet', hive_types_autocast = false)`;
  const found = await connection.runAndReadAll(`select * from ${from} order by 1`);
  connection.closeSync();
  return found.getRowObjectsJson();
}

/** The keys of the listings; undefined if there is no dataset yet. */
export async function lakeKeys(folder: string): Promise<string | undefined> {
  if (!existsSync(join(folder, "latest.json"))) return undefined;
  return (await readLakeTable(folder)).map((row) => row["ListingKey"]).join();
}
