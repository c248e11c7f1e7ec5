import type { Database } from "better-sqlite3";

const select = `select "text" from "cadastre_note" where "key" = ?`;
const replace = `insert or replace into "cadastre_note" ("key", "text") values (?, ?)`;

export const readNote = (database: Database, key: string): string | undefined =>
  database.prepare(select).pluck().get(key) as string | undefined;

export const writeNote = (database: Database, key: string, text: string): void =>
  void database.prepare(replace).run(key, text);
