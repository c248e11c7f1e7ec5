import { type CompiledSql, identifier, sql, sqlite } from "@cadastre/odata";
import { render, value } from "@cadastre/odata/run";
import type { Database } from "better-sqlite3";
import { earliestNeeded } from "../build/history.ts";
import { type TableSchema, validity } from "../schema/table.ts";
import { readSqliteNote, writeSqliteNote } from "./notes.ts";

const note = "cadastre_pruned";
const lastBefore = `select max("checkpoint") from "cadastre_commit" where "committed_at" < ?`;

/** See `AsOf.history`. */
export function compileSqliteHistory({ closed }: TableSchema, checkpoint: number): CompiledSql {
  const later = sql`${identifier(validity.to.name)} > ${value(BigInt(checkpoint))}`;
  return render(
    sql`select (select cast("text" as integer) from "cadastre_note" where "key" = ${value(note)}),
  exists (select 1 from ${identifier(closed)} where ${later})`,
    sqlite.placeholder,
  );
}

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
    if (earliest <= Number(readSqliteNote(database, note) ?? 0)) return 0;
    let forgotten = 0;
    for (const { name, closed } of tables) {
      const ended = sql`delete from ${identifier(closed)} where ${identifier(validity.to.name)} <= ${value(earliest)}
  and ${identifier(validity.to.name)} <= ${earliestNeeded(name, builds)}`;
      const { text, values } = render(ended, sqlite.placeholder);
      forgotten += database.prepare(text).run(...values).changes;
    }
    writeSqliteNote(database, note, String(earliest));
    return forgotten;
  });
  return forget.immediate();
}
