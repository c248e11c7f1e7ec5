import type { Socket } from "node:net";
import { identifier, postgres } from "@cadastre/odata";
import { postgresParameters } from "@cadastre/odata/postgres";
import { render } from "@cadastre/odata/run";
import type { Knex } from "knex";
import type pg from "pg";
import { createKnex } from "./create-knex.ts";
import { readOnlyTransaction } from "./postgres-faults.ts";
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
  /**
   * `primary` to refuse a connection to a standby, which an address may lead to during a failover. By default any server will do. Behind a
   * pooler only the standby's refusal of a write is noticed.
   */
  readonly server?: "primary" | "any" | undefined;
};

/** Creates a connection pool on the store's schemas. Connections are opened when needed. */
export const createConnectionPool = (
  { connection, schemas }: PostgresConnectionOptions,
  { connections, wait, settings, statements = "named", server = "any" }: PoolOptions,
): Knex => {
  const all = { ...postgresParameters, search_path: schemas.map(quoted).join(", "), ...settings };
  return createKnex({
    client: "pg",
    connection,
    acquireConnectionTimeout: wait,
    pool: {
      min: 0,
      max: connections,
      afterCreate: (client: pg.Client, done: (error?: unknown) => void) => {
        const isReady = async () => {
          dropWhereReadOnly(client);
          closeIfSilent(client, Number(settings["statement_timeout"] ?? 0));
          // First, because behind a pooler the client takes only what knex sends from then on.
          if (server === "primary") await requirePrimary(client);
          await setUpTransactions(client, all, statements);
        };
        isReady().then(
          () => done(),
          (error: unknown) => {
            // The pool does not close a connection that it has refused.
            client.end().catch(() => {});
            done(error);
          },
        );
      },
    },
  });
};

/** A connection that leads to a standby where a write is refused leaves the pool: a new one leads to the present primary. */
function dropWhereReadOnly(client: pg.Client): void {
  client.connection.on("errorMessage", ({ code }: { readonly code?: string }) => {
    // The pool of knex drops connections with this mark before it gives them out.
    if (code === readOnlyTransaction) Object.assign(client, { __knex__disposed: code });
  });
}

/** Time that an answer may take longer than its statement, in milliseconds. */
const grace = 2000;

/**
 * Closes a connection whose server has not answered for longer than a statement may take: a server that is cut off says nothing, and the
 * system notices that after minutes only.
 *
 * @param statementTimeout in milliseconds; 0 for no limit
 */
function closeIfSilent(client: pg.Client, statementTimeout: number): void {
  if (statementTimeout === 0) return;
  const stream = client.connection.stream as Socket;
  let answered = stream.bytesWritten;
  client.connection.on("readyForQuery", () => {
    answered = stream.bytesWritten;
  });
  stream.setTimeout(statementTimeout + grace, () => {
    if (stream.bytesWritten > answered) stream.destroy();
  });
}

async function requirePrimary(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>("select pg_is_in_recovery() as standby");
  if (rows[0]?.standby === true)
    throw Object.assign(new Error("the server is a standby"), { code: readOnlyTransaction });
}

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

/** Settings of transactions that write: no time limit, and memory for a batch of changes, which would otherwise go to a temporary file. */
export const writeSettings: Settings = { statement_timeout: "0", jit: "off", work_mem: "32MB" };
