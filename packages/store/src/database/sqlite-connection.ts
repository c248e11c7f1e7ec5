import type { Database } from "better-sqlite3";
import type { Knex } from "knex";
import { createKnex } from "./create-knex.ts";

/**
 * Creates a knex instance for a SQLite file. The file is opened when needed.
 *
 * @param setUp called with each new connection
 */
export const createSqliteKnex = (filename: string, setUp: (connection: Database) => void): Knex =>
  createKnex({
    client: "better-sqlite3",
    connection: { filename },
    useNullAsDefault: true,
    pool: {
      afterCreate: (connection: Database, done: () => void) => {
        // The callers retry while the file is busy, see `retryWhileBusy`.
        connection.pragma("busy_timeout = 0");
        setUp(connection);
        done();
      },
    },
  });
