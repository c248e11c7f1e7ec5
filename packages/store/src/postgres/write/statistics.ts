import { datasetProperty } from "@cadastre/entitlement";
import { identifier, sql } from "@cadastre/odata";
import { value } from "@cadastre/odata/run";
import type { Session } from "../../database/session.ts";
import type { Tallies } from "../../write/tallies.ts";
import { lockIfFree } from "./lock-if-free.ts";

/** Number of changes of a table after which a transaction updates its statistics first. */
const firstUpdate = 10_000;

/** Number of times as many after which it updates them again. */
const growth = 4;

/**
 * Updates the planner's statistics of the tables that a transaction writes to. The server would do that by itself, but only after the
 * transaction and the first queries: until then it takes a new dataset for an empty one, and reads all of it to find a few records.
 */
export class Statistics {
  readonly #session: Session;
  /** Number of changes after which the statistics of a table are updated next. */
  readonly #next = new Map<string, number>();

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

  /** Updates the statistics of a table if at least a fifth of it has changed, and nobody else is doing so. */
  async #update(table: string, changes: number): Promise<void> {
    const [row] = await this.#session.rows(
      sql`select reltuples from pg_class where relname = ${value(table)}::text and relnamespace = current_schema()::regnamespace`,
    );
    if (changes * 5 <= Number(row?.[0] ?? 0)) return;
    // Whoever waited here for another transaction would keep it waiting for this one's end.
    if (await lockIfFree(this.#session, table, sql`share update exclusive`))
      await this.#session.rows(sql`analyze ${identifier(table)}`);
  }
}
