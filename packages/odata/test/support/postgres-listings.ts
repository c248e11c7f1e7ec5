import { type BoundQuery, compileCount, compilePage, postgres, tableMapping } from "../../src/index.ts";
import { postgresHelpers, postgresSettings } from "../../src/postgres/index.ts";
import { startPostgres } from "../../src/testing/postgres.ts";
import { listing, rows } from "./listing.ts";
import { createPostgresTable } from "./postgres-table.ts";

/** Mapping of the test table under the name `property`. */
export const postgresMapping = tableMapping("property");

/** Starts a server with helper functions, settings and the test table. */
export async function openPostgresListings() {
  const server = await startPostgres();
  const pool = server.connect(1);
  for (const statement of [...postgresSettings, ...postgresHelpers()]) await pool.query(statement);
  await createPostgresTable(pool, "property", [...listing.type.properties.values()], rows);
  const run = async (text: string, values: readonly unknown[]) =>
    (await pool.query<unknown[]>({ text, values: [...values], rowMode: "array" })).rows;
  return {
    pool,
    async keys(query: BoundQuery): Promise<readonly unknown[]> {
      return (await this.page({ ...query, select: query.select.slice(0, 1) })).map(([key]) => key);
    },
    async page(query: BoundQuery): Promise<readonly (readonly unknown[])[]> {
      const { text, values } = compilePage(query, postgres, postgresMapping, { order: true });
      return run(text, values);
    },
    async count(query: BoundQuery): Promise<number> {
      const { text, values } = compileCount(query, postgres, postgresMapping);
      return Number((await run(text, values))[0]?.[0]);
    },
    async close() {
      await pool.end();
      await server.stop();
    },
  };
}
