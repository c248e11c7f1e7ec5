import { datasetProperty } from "@cadastre/entitlement";
import { identifier, postgres, sql } from "@cadastre/odata";
import { render, value } from "@cadastre/odata/run";
import type { Session } from "../database/session.ts";
import type { Tallies } from "../write/tallies.ts";
import { lockIfFree } from "./write/lock-if-free.ts";

const analyze = identifier("cadastre_analyze");

/**
 * Returns the statement that creates the function by which a role that may write to the tables of a schema updates their statistics: without it
 * only their owner could.
 */
export function createAnalyzeFunction(schema: string): string {
  const name = render(sql`${identifier(schema)}.${analyze}`, postgres.placeholder).text;
  // The function's owner runs it, so nothing that it names may be looked up in a schema of its caller.
  return `create or replace function ${name}("schema" name, "table" name) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  execute format('analyze %I.%I', "schema", "table");
end $$`;
}

/** Number of changes of a resource after which a transaction first updates the statistics of its tables. */
const firstUpdate = 5000;

/** Number of times as many after which it updates them again. */
const growth = 4;

/**
 * Updates the planner's statistics of the tables that a transaction writes to. The server would do that by itself, but only after the
 * transaction and the first queries: until then it takes a new dataset for an empty one, and reads all of it to find a few records.
 */
export class Statistics {
  readonly #session: Session;
  /** By resource: number of its changes after which the statistics of its tables are updated next. */
  readonly #next = new Map<string, number>();
  /** Number of changes of the resource when the statistics of a table were updated last. */
  readonly #updated = new Map<string, number>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Updates those of the tables that have changed much, while the transaction goes on. */
  async keepUp(tallies: Tallies): Promise<void> {
    for (const [resource, changes] of tallies.byResource()) {
      const next = this.#next.get(resource) ?? firstUpdate;
      if (changes < next) continue;
      this.#next.set(resource, Math.max(next, changes) * growth);
      const datasets = tallies.all().filter((one) => one.resource === resource);
      const tables = new Set<string>();
      for (const { datasetId } of datasets) tables.add(await this.#tableWith(resource, datasetId));
      for (const table of tables) await this.#update(table, changes);
    }
  }

  /** Updates those of the tables that have changed much, at the end of the transaction. */
  async finish(tallies: Tallies): Promise<void> {
    for (const [resource, changes] of tallies.byResource()) await this.#update(resource, changes);
  }

  /** Returns the table that a dataset's records are in: a partition of the resource's table, or that itself. */
  async #tableWith(resource: string, datasetId: string): Promise<string> {
    const [row] = await this.#session.rows(
      sql`select relname from pg_class where oid = (select tableoid from ${identifier(resource)}
  where ${identifier(datasetProperty.name)} = ${value(datasetId)}::text limit 1)`,
    );
    return (row?.[0] as string | undefined) ?? resource;
  }

  /** Updates the statistics of a table if its resource has had more changes since the last time than a fifth of its rows, and nobody else is doing so. */
  async #update(table: string, changes: number): Promise<void> {
    const [row] = await this.#session.rows(
      sql`select reltuples from pg_class where relname = ${value(table)}::text and relnamespace = current_schema()::regnamespace`,
    );
    const since = changes - (this.#updated.get(table) ?? 0);
    if (since * 5 <= Number(row?.[0] ?? 0)) return;
    // Whoever waited here for another transaction would keep it waiting for this one's end.
    if (!(await lockIfFree(this.#session, table, sql`share update exclusive`))) return;
    await this.#session.rows(sql`select ${analyze}(current_schema(), ${value(table)}::name)`);
    this.#updated.set(table, changes);
  }
}
