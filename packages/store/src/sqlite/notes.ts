import type { Database } from "better-sqlite3";

const select = `select "text" from "cadastre_note" where "key" = ?`;
// "insert or replace" deletes the old row without running the delete trigger, so the checksum of the table would not match.
const put = `insert into "cadastre_note" ("key", "text") values (?, ?)
  on conflict ("key") do update set "text" = excluded."text"`;

export const readSqliteNote = (database: Database, key: string): string | undefined =>
  database.prepare(select).pluck().get(key) as string | undefined;

export const writeSqliteNote = (database: Database, key: string, text: string): void =>
  void database.prepare(put).run(key, text);
