/**
 * Reads entity sets from a SQLite or PostgreSQL database by knex.
 *
 * @module
 */
import { type AggregateHost, registerAggregates } from "@cadastre/odata/apply";
import { knexDialect, type RawHost, runByKnex } from "@cadastre/odata/knex";
import { postgresHelpers, postgresSettings } from "@cadastre/odata/postgres";
import { type DialectName, postgres, sqlite } from "@cadastre/odata/run";
import { type FunctionHost, registerFunctions } from "@cadastre/odata/sqlite";
import type { Database, DatabaseRow } from "../database.ts";
import { printDatabase } from "../introspect/print-declarations.ts";
import { type SourceMaker, sqlSource } from "../source/sql-source.ts";

/** The part of a knex instance that the source uses. */
export type KnexDatabase = RawHost<PromiseLike<unknown>> & {
  readonly client: { readonly config: { readonly client?: unknown } };
};

/** The names that knex has for the clients of the databases. */
const dialectNames: Readonly<Record<string, DialectName>> = {
  pg: "postgres",
  postgres: "postgres",
  postgresql: "postgres",
  "better-sqlite3": "sqlite",
};

const dialects = { postgres, sqlite } as const;

function dialectNameOf({ client: { config } }: KnexDatabase): DialectName {
  const found = dialectNames[String(config.client)];
  if (found !== undefined) return found;
  throw new TypeError(
    `knex has the client \`${String(config.client)}\`: use one of ${Object.keys(dialectNames).join(", ")}`,
  );
}

/** A connection of a pool of knex: of better-sqlite3 or of pg. */
type Connection =
  | (FunctionHost & AggregateHost)
  | { readonly query: (text: string, done: (error: Error | null) => void) => unknown };

/**
 * Prepares each connection of knex: `knex({ client, connection, pool: { afterCreate } })`. Connections to SQLite get the functions that
 * queries use, those to PostgreSQL settings.
 */
export function afterCreate(
  connection: Connection,
  done: (error: Error | null, connection: Connection) => void,
): void {
  if ("function" in connection) {
    registerFunctions(connection);
    registerAggregates(connection);
    done(null, connection);
  } else connection.query(postgresSettings.join(";"), (error) => done(error, connection));
}

/**
 * Creates the functions that queries use in a PostgreSQL database, named `cadastre_…`: a step of a migration, which may be repeated. SQLite
 * needs none.
 */
export async function prepareKnex(knex: KnexDatabase): Promise<void> {
  if (dialectNameOf(knex) === "sqlite") return;
  // In SQL of its own, knex wants question marks escaped.
  for (const helper of postgresHelpers()) await knex.raw(helper.replaceAll("?", "\\?"), []);
}

/**
 * Returns declarations of the tables of a database as the text of a module, to start from: types, keys, and navigation by foreign keys.
 * Columns of a type that does not tell how values are to be read are left out, with a comment.
 */
export const introspect = (knex: KnexDatabase): Promise<string> => printDatabase(databaseOfKnex(knex));

/** Reads records through knex, whose pool has {@link afterCreate}, from a database that {@link prepareKnex} has prepared. */
export const knexSource = (knex: KnexDatabase): SourceMaker => sqlSource(databaseOfKnex(knex));

function databaseOfKnex(knex: KnexDatabase): Database {
  const dialect = knexDialect(dialects[dialectNameOf(knex)]);
  return {
    dialect,
    run: async (statement) => (await runByKnex(knex, dialect, statement)) as DatabaseRow[],
  };
}
