import { identifier, postgres } from "@cadastre/odata";
import { postgresParameters } from "@cadastre/odata/postgres";
import { render } from "@cadastre/odata/run";
import knex, { type Knex } from "knex";
import type pg from "pg";
import { silentKnexLogger } from "./knex-logger.ts";
import { type Settings, type StatementKind, setUpTransactions } from "./postgres-transactions.ts";

export type PostgresConnectionOptions = {
  /** Connection for `pg`: a URL, or an object. */
  readonly connection: string | Knex.PgConnectionConfig;
  /** Search path: schemas in which names are looked up, in order. */
  readonly schemas: readonly string[];
};

export type PoolOptions = {
  readonly connections: number;
  /** Timeout for getting a connection, in milliseconds. */
  readonly wait: number;
  /** Parameters that each transaction begins with, besides those that compiled queries need and the search path. */
  readonly settings: Settings;
  /** By default `named`. */
  readonly statements?: StatementKind | undefined;
};

/** Creates a connection pool on the store's schemas. Connections are opened when needed. */
export const createConnectionPool = (
  { connection, schemas }: PostgresConnectionOptions,
  { connections, wait, settings, statements = "named" }: PoolOptions,
): Knex => {
  const all = { ...postgresParameters, search_path: schemas.map(quoted).join(", "), ...settings };
  return knex({
    client: "pg",
    connection,
    acquireConnectionTimeout: wait,
    log: silentKnexLogger,
    pool: {
      min: 0,
      max: connections,
      afterCreate: (client: pg.Client, done: (error?: unknown) => void) => {
        setUpTransactions(client, all, statements).then(() => done(), done);
      },
    },
  });
};

const quoted = (schema: string): string => render(identifier(schema), postgres.placeholder).text;

/**
 * Settings of transactions that read.
 *
 * @param byDataset true if tables have indexes that begin with the dataset. Then the planner never prefers a scan of the whole table, which
 * would also read hidden rows.
 */
export const readSettings = (timeout: number, byDataset: boolean): Settings => ({
  statement_timeout: String(Math.ceil(timeout)),
  // Compiling takes longer than it saves for a page of rows.
  jit: "off",
  ...(byDataset ? { enable_seqscan: "off" } : {}),
});

/** Settings of transactions that write: no time limit. */
export const writeSettings: Settings = { statement_timeout: "0", jit: "off" };
