import { registerFunctions } from "@cadastre/odata/sqlite";
import Database from "better-sqlite3";
import { sqlitePageSize } from "./migrate.ts";

/**
 * Rewrites a file with pages of {@link sqlitePageSize} and without free space. It is one transaction, which needs as much disk space again as the
 * file takes.
 *
 * @throws {Error} with the code `SQLITE_BUSY` if another connection has the file open
 */
export function compactSqlite(file: string): void {
  const database = new Database(file, { fileMustExist: true, timeout: 1000 });
  try {
    // Indexes of folded texts call them.
    registerFunctions(database);
    // A file with a write-ahead log keeps its page size. Only its sole user can turn the log off.
    database.pragma("journal_mode = delete");
    database.pragma(`page_size = ${sqlitePageSize}`);
    // Tables with an index keep their rowids, which R*Trees and FTS5 tables refer to: source, SQLite, xferOptimization. Those are all tables of resources.
    database.exec("vacuum");
    database.pragma("journal_mode = wal");
  } finally {
    database.close();
  }
}
