import { identifier, postgres, sql } from "@cadastre/odata";
import { render } from "@cadastre/odata/run";
import { type Client, firstRow, runTogether } from "./session.ts";

const sizeOf = `select reltuples from pg_class
  where relname = $1::text and relnamespace = current_schema()::regnamespace`;

/**
 * Updates the planner's statistics of a table if at least a fifth of it has changed. The server would do that by itself, but only
 * after the first queries.
 *
 * @param changed number of changes by table
 */
export async function refreshStatistics(client: Client, changed: ReadonlyMap<string, number>): Promise<void> {
  for (const [table, changes] of changed) {
    const [rows] = (await firstRow(client, { text: sizeOf, values: [table] })) ?? [];
    if (changes * 5 > Number(rows ?? 0))
      await runTogether(client, [render(sql`analyze ${identifier(table)}`, postgres.placeholder)]);
  }
}
