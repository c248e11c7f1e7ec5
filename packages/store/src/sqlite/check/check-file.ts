import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { alteredTables, registerChecksum } from "../../checksum/checksums.ts";
import type { CheckedTable } from "../../schema/table.ts";
import { misplacedRows } from "../layout/places.ts";
import { matchesTexts } from "../layout/texts.ts";

/** A fault in a database. */
export type SqliteFault = {
  /**
   * `damaged`: SQLite cannot read it, or an index does not match its table. `altered`: rows do not match their table's checksum.
   * `dangling`: a row refers to a row that does not exist. `misplaced`: an R*Tree or a trigram index does not match its table.
   */
  readonly code: "damaged" | "altered" | "dangling" | "misplaced";
  /** The table; undefined if it is not known. */
  readonly table?: string | undefined;
  readonly detail: string;
};

/** Maximum number of faults to list. */
const most = 20;

/** Faults of the R*Trees and trigram indexes of a table. */
const faultsOfIndexes = (database: Database.Database, table: CheckedTable): SqliteFault[] =>
  [
    ...table.points.flatMap((point) => {
      const rows = misplacedRows(database, table, point);
      return rows === 0 ? [] : [`${rows} rows of ${table.name} have another place in ${point.name}`];
    }),
    ...table.texts
      .filter((text) => !matchesTexts(database, table, text))
      .map((text) => `${text.name} does not match the texts of ${table.name}`),
  ].map((detail) => ({ code: "misplaced", table: table.name, detail }));

/** All checks, in the order of execution. */
const checks: readonly ((database: Database.Database, tables: readonly CheckedTable[]) => SqliteFault[])[] = [
  (database) =>
    (database.prepare(`pragma integrity_check(${most})`).pluck().all() as string[])
      .filter((detail) => detail !== "ok")
      .map((detail) => ({ code: "damaged", detail })),
  (database) =>
    alteredTables(database).map((table) => ({
      code: "altered",
      table,
      detail: `the rows of ${table} differ from what was written`,
    })),
  (database) =>
    (database.pragma("foreign_key_check") as { readonly table: string; readonly parent: string }[])
      .slice(0, most)
      .map(({ table, parent }) => ({
        code: "dangling",
        table,
        detail: `a row of ${table} refers to one of ${parent} that does not exist`,
      })),
  (database, tables) => tables.flatMap((table) => faultsOfIndexes(database, table)),
];

/**
 * Checks a whole database in one read transaction and returns its faults.
 *
 * @param tables tables whose R*Trees and trigram indexes are compared with their rows
 */
export function checkFile(file: string, tables: readonly CheckedTable[]): readonly SqliteFault[] {
  let database: Database.Database | undefined;
  const faults: SqliteFault[] = [];
  try {
    database = new Database(file, { readonly: true, fileMustExist: true });
    registerFunctions(database);
    registerChecksum(database);
    database.exec("begin");
    for (const look of checks) {
      faults.push(...look(database, tables));
      // Later checks are skipped after a fault: nothing can be concluded from damaged rows.
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
