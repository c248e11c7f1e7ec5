import { ClientError } from "../errors.ts";

/** Schema and name prefix of a copy's tables in a database, to keep them apart from other tables and copies. */
export type TablePlace = {
  /** Schema of the tables and of the ledger, in PostgreSQL and DuckDB. It is created if it does not exist. */
  readonly schema?: string | undefined;
  /** Prefix of the name of every table, those of the ledger included. */
  readonly prefix?: string | undefined;
};

/** Options of a target. */
export type TargetOptions = TablePlace & {
  /** True to load into tables of a database that hold the copy of another subscription, or no longer that of this one. That copy ends. */
  readonly replaceCopy?: boolean | undefined;
};

/** PostgreSQL truncates names after 63 characters: a prefix leaves room for the longest table name. */
const forms = { schema: /^[A-Za-z_][A-Za-z0-9_]{0,62}$/, prefix: /^[A-Za-z_][A-Za-z0-9_]{0,31}$/ } as const;

/** System schemas, and schemas of temporary tables. */
const reserved = /^(?:pg_.*|information_schema|temp|system)$/i;

/** SQLite keeps these names for itself. */
const reservedPrefix = /^sqlite_/i;

/** @throws {ClientError} unless the names are valid in SQL, and this kind of target takes the options. */
export function requirePlace(place: TablePlace, target: string, options: readonly string[]): void {
  for (const [option, form] of Object.entries(forms)) {
    const name = place[option as keyof typeof forms];
    if (name === undefined) continue;
    if (!options.includes(option)) throw new ClientError("table_place_unsupported", { option, target });
    const isReserved =
      option === "schema" ? reserved.test(name) : target === "SQLite" && reservedPrefix.test(name);
    if (!form.test(name) || isReserved) throw new ClientError("table_place_invalid", { option });
  }
}
