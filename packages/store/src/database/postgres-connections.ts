import { postgresSettings } from "@cadastre/odata/postgres";
import knex, { type Knex } from "knex";
import { silentKnexLogger } from "./knex-logger.ts";

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
  /** Statements that each new connection runs, after those that compiled queries need. */
  readonly settings: readonly string[];
};

/** Creates a connection pool on the store's schemas. Connections are opened when needed. */
export const createConnectionPool = (
  { connection, schemas }: PostgresConnectionOptions,
  { connections, wait, settings }: PoolOptions,
): Knex =>
  knex({
    client: "pg",
    connection,
    searchPath: schemas,
    acquireConnectionTimeout: wait,
    log: silentKnexLogger,
    pool: {
      min: 0,
      max: connections,
      afterCreate: (
        client: { query: (text: string, done: (error?: Error) => void) => void },
        done: () => void,
      ) => client.query([...postgresSettings, ...settings].join("; "), done),
    },
  });

/**
 * Settings of reading connections. Each batch of queries is a transaction that sees one state of the store.
 *
 * @param byDataset true if tables have indexes that begin with the dataset. Then the planner never prefers a scan of the whole table, which
 * would also read hidden rows.
 */
export const readSettings = (timeout: number, byDataset: boolean): readonly string[] => [
  "set default_transaction_isolation to 'repeatable read'",
  "set default_transaction_read_only to on",
  `set statement_timeout to ${Math.ceil(timeout)}`,
  // Compiling takes longer than it saves for a page of rows.
  "set jit to off",
  ...(byDataset ? ["set enable_seqscan to off"] : []),
];

/** Settings of writing connections: no time limit. */
export const writeSettings: readonly string[] = ["set statement_timeout to 0", "set jit to off"];
