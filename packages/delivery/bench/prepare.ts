import { existsSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@cadastre/store/sqlite";
import Database from "better-sqlite3";
import { datasetId, declarations, fieldNames, listings, recordOf, stored } from "./rows.ts";

export const storeFile = (folder: string) => join(folder, "store.sqlite");
export const tableFile = (folder: string) => join(folder, "table.sqlite");

/** So many listings in a store, and the same values in a table with a column for each field. */
export async function prepare(folder: string, rows: number): Promise<void> {
  if (existsSync(tableFile(folder))) return;
  const store = await openSqliteStore({ file: storeFile(folder), resources: [stored], threads: 0 });
  const changes = function* () {
    for (let i = 0; i < rows; i++) yield { resource: listings.name, datasetId, record: recordOf(i) };
  };
  await store.commit(changes());
  await store.close();
  const table = new Database(tableFile(folder));
  table.exec(`create table listing (${declarations.join(", ")}, primary key ("ListingKey")) without rowid`);
  const insert = table.prepare(`insert into listing values (${fieldNames.map(() => "?").join(", ")})`);
  table.transaction(() => {
    for (let i = 0; i < rows; i++) insert.run(Object.values(recordOf(i)).map(flat));
  })();
  table.close();
}

const flat = (value: unknown): unknown => {
  if (typeof value === "boolean") return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : value;
};
