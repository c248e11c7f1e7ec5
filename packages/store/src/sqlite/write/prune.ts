import { identifier, sql, sqlite } from "@cadastre/odata";
import { render, value } from "@cadastre/odata/run";
import type { Database } from "better-sqlite3";
import { earliestNeeded } from "../../build/history.ts";
import { prunedNote, type TableSchema, validity } from "../../schema/table.ts";
import { readSqliteNote, writeSqliteNote } from "../layout/bookkeeping.ts";

const lastBefore = `select max("checkpoint") from "cadastre_commit" where "committed_at" < ?`;

/** See `WritableStore.prune`. */
export function pruneSqlite(
  database: Database,
  tables: readonly TableSchema[],
  time: number,
  builds: number,
  kept: number | undefined,
): number {
  const forget = database.transaction(() => {
    const last = database.prepare(lastBefore).pluck().get(time) as number | null;
    const earliest = Math.min(last ?? 0, kept ?? Number.POSITIVE_INFINITY);
    if (earliest <= Number(readSqliteNote(database, prunedNote) ?? 0)) return 0;
    let forgotten = 0;
    for (const { name, closed } of tables) {
      const ended = sql`delete from ${identifier(closed)} where ${identifier(validity.to.name)} <= ${value(earliest)}
  and ${identifier(validity.to.name)} <= ${earliestNeeded(name, builds)}`;
      const { text, values } = render(ended, sqlite.placeholder);
      forgotten += database.prepare(text).run(...values).changes;
    }
    writeSqliteNote(database, prunedNote, String(earliest));
    return forgotten;
  });
  return forget.immediate();
}
