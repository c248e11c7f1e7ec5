import { ClientError } from "../errors.ts";

/** The place of a copy's tables in a database, so that they lie apart from other tables and other copies. */
export type TablePlace = {
  /** Schema of the tables and of the ledger, in PostgreSQL and DuckDB. It is created if it does not exist. */
  readonly schema?: string | undefined;
  /** Text that the name of every table begins with, those of the ledger included. */
  readonly prefix?: string | undefined;
};

/** Lengths for which the longest name still has the 63 characters that PostgreSQL keeps of a name. */
const forms = { schema: /^[A-Za-z_][A-Za-z0-9_]{0,62}$/, prefix: /^[A-Za-z_][A-Za-z0-9_]{0,31}$/ } as const;

/** Schemas of the databases themselves, and those that end with a session. */
const reserved = /^(?:pg_.*|information_schema|temp|system)$/i;

/** @throws {ClientError} unless the place can be named in SQL, by the options that this kind of target has. */
export function requirePlace(place: TablePlace, target: string, options: readonly string[]): void {
  for (const [option, form] of Object.entries(forms)) {
    const name = place[option as keyof typeof forms];
    if (name === undefined) continue;
    if (!options.includes(option)) throw new ClientError("table_place_unsupported", { option, target });
    if (!form.test(name) || (option === "schema" && reserved.test(name)))
      throw new ClientError("table_place_invalid", { option });
  }
}
