import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { alteredTables, registerChecksum } from "../checksum/checksums.ts";
import { tableOf } from "../schema/table.ts";
import type { StoredResource } from "../store.ts";
import { misplacedRows } from "./places.ts";

/** Something in a database that is not as it was written. */
export type SqliteFault = {
  /**
   * `damaged`: SQLite cannot read it, or an index is not that of its table. `altered`: rows of a table are not those that were written.
   * `dangling`: a row refers to one that is not there. `misplaced`: an R*Tree does not have the places of its table.
   */
  readonly code: "damaged" | "altered" | "dangling" | "misplaced";
  /** The table; undefined where it is not known. */
  readonly table?: string | undefined;
  readonly detail: string;
};

/** Faults that SQLite lists at most. */
const most = 20;

/** Every way to look at a database. */
const looks: readonly ((
  database: Database.Database,
  resources: readonly StoredResource[],
) => SqliteFault[])[] = [
  (database) =>
    (database.prepare(`pragma integrity_check(${most})`).pluck().all() as string[])
      .filter((detail) => detail !== "ok")
      .map((detail) => ({ code: "damaged", detail })),
  (database) =>
    alteredTables(database).map((table) => ({
      code: "altered",
      table,
      detail: `the rows of ${table} are not those that were written`,
    })),
  (database) =>
    (database.pragma("foreign_key_check") as { readonly table: string; readonly parent: string }[])
      .slice(0, most)
      .map(({ table, parent }) => ({
        code: "dangling",
        table,
        detail: `a row of ${table} refers to one of ${parent} that does not exist`,
      })),
  (database, resources) =>
    resources.map(tableOf).flatMap((table) =>
      table.points.flatMap((point) => {
        const rows = misplacedRows(database, table, point);
        return rows === 0
          ? []
          : [
              {
                code: "misplaced",
                table: table.name,
                detail: `${rows} rows of ${table.name} are elsewhere in ${point.name}`,
              },
            ];
      }),
    ),
];

/**
 * Reads a whole database, as one transaction, and lists what is not as it was written. Changes nothing.
 *
 * @param resources those whose R*Trees are compared with their tables
 */
export function checkSqlite(file: string, resources: readonly StoredResource[] = []): readonly SqliteFault[] {
  let database: Database.Database | undefined;
  const faults: SqliteFault[] = [];
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
    registerFunctions(database);
    registerChecksum(database);
    database.exec("begin");
    for (const look of looks) {
      faults.push(...look(database, resources));
      // What damaged or altered rows say is no evidence.
      if (faults.length > 0) break;
    }
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    faults.push({ code: "damaged", detail: error.message });
  } finally {
    database?.close();
  }
  return faults;
}
