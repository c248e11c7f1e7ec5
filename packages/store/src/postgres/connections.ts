import { postgresSettings } from "@cadastre/odata/postgres";
import knex, { type Knex } from "knex";
import { silent } from "../schema/silent.ts";

export type ConnectionOptions = {
  /** As `pg` takes it: a URL, or its parts. */
  readonly connection: string | Knex.PgConnectionConfig;
  /** Schemas that hold what statements name, the first one that does counts. */
  readonly schemas: readonly string[];
};

export type PoolOptions = {
  readonly connections: number;
  /** How long a caller may wait for a connection, in milliseconds. */
  readonly wait: number;
  /** Statements that each connection runs first, beside those that the compiled queries need. */
  readonly settings: readonly string[];
};

/** Connections to the store's schemas, made as they are needed. */
export const connect = (
  { connection, schemas }: ConnectionOptions,
  { connections, wait, settings }: PoolOptions,
): Knex =>
  knex({
    client: "pg",
    connection,
    searchPath: schemas,
    acquireConnectionTimeout: wait,
    log: silent,
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
 * Settings of connections that read: each batch is a transaction that sees one state of the store.
 *
 * @param byDataset true if tables have indexes that begin with the dataset. A scan of a whole table, which reads hidden rows too, is
 * then never preferred to them.
 */
export const readSettings = (timeout: number, byDataset: boolean): readonly string[] => [
  "set default_transaction_isolation to 'repeatable read'",
  "set default_transaction_read_only to on",
  `set statement_timeout to ${Math.ceil(timeout)}`,
  // Costs more than it saves for a page of rows.
  "set jit to off",
  ...(byDataset ? ["set enable_seqscan to off"] : []),
];

/** Settings of connections that write: what is committed may take its time. */
export const writeSettings: readonly string[] = ["set statement_timeout to 0", "set jit to off"];
