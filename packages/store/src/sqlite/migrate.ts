import { identifier } from "@cadastre/odata";
import { registerFunctions } from "@cadastre/odata/sqlite";
import type { Database } from "better-sqlite3";
import knex from "knex";
import { columnValues } from "../read/columns.ts";
import type { Member } from "../record/members.ts";
import { migrate } from "../schema/migrate.ts";
import type { StoredResource } from "../store.ts";
import { declaredType, formOf } from "./columns.ts";

/** Bring the file to the present schema, see `migrate`. */
export async function migrateSqlite(
  file: string,
  resources: readonly StoredResource[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, Member>>> {
  const database = knex({
    client: "better-sqlite3",
    connection: { filename: file },
    useNullAsDefault: true,
    pool: {
      afterCreate: (connection: Database, done: () => void) => {
        connection.pragma("journal_mode = wal");
        registerFunctions(connection);
        done();
      },
    },
  });
  try {
    return await migrate(
      database,
      resources,
      { column: declaredType, text: "text", indexed: ({ name }) => identifier(name) },
      (columns, record) => columnValues(columns, (name) => record[name], formOf),
    );
  } finally {
    await database.destroy();
  }
}
