/**
 * Reads entity sets from a PostgreSQL database by pg.
 *
 * @module
 */
import { postgresHelpers, postgresSettings } from "@cadastre/odata/postgres";
import { postgres } from "@cadastre/odata/run";
import type { DatabaseRow } from "../database.ts";
import { printDatabase } from "../introspect/print-declarations.ts";
import { type SourceMaker, sqlSource } from "../source/sql-source.ts";

type Query = (text: string, values?: unknown[]) => Promise<{ readonly rows: unknown[] }>;

/** A connection that a pool lends. */
type Connection = { readonly query: Query; readonly release: (error?: boolean) => void };

/** The part of a pool of pg that the source uses. */
export type PostgresPool = { readonly query: Query; readonly connect: () => Promise<Connection> };

/**
 * Creates the functions that queries use, named `cadastre_…`, in the current schema of the database: a step of a migration, which may be
 * repeated. The role of the service needs no right but to call them.
 */
export async function preparePostgres(pool: Pick<PostgresPool, "query">): Promise<void> {
  for (const helper of postgresHelpers()) await pool.query(helper);
}

/**
 * Reads records from the tables of a PostgreSQL database, version 15 or later, which {@link preparePostgres} has prepared.
 *
 * @throws {TypeError} if it is no pool of pg
 */
export function postgresSource(pool: PostgresPool): SourceMaker {
  if (typeof pool.connect !== "function")
    throw new TypeError("`postgresSource` takes a pool of pg: `new Pool({ connectionString })`");
  /** Connections that have the settings of a session. */
  const prepared = new WeakSet<Connection>();
  return sqlSource({
    dialect: postgres,
    run: async ({ text, values }) => {
      const connection = await pool.connect();
      try {
        if (!prepared.has(connection)) await connection.query(postgresSettings.join(";"));
        prepared.add(connection);
        const { rows } = await connection.query(text, [...values]);
        connection.release();
        return rows as DatabaseRow[];
      } catch (error) {
        // A connection with a fault of its own is not lent again.
        connection.release(isBroken(error));
        throw error;
      }
    },
  });
}

/**
 * Returns declarations of the tables of a PostgreSQL database as the text of a module, to start from: types, keys, and navigation by foreign
 * keys. What it cannot tell for certain it leaves out, with a comment.
 */
export const introspectPostgres = (pool: Pick<PostgresPool, "query">): Promise<string> =>
  printDatabase({
    dialect: postgres,
    run: async ({ text, values }) => (await pool.query(text, [...values])).rows as DatabaseRow[],
  });

/** True for an error that is not the answer of the database to a statement. */
const isBroken = (error: unknown): boolean => !(error instanceof Error && "severity" in error);
