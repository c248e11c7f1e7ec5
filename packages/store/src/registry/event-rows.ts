import type { Knex } from "knex";
import type { Int64Column } from "./int64-column.ts";

/** Row of the log of a customer. */
export type EventLogRow = {
  readonly customer: string;
  readonly revision: Int64Column;
  readonly next_number: Int64Column;
  readonly checkpoint: Int64Column | null;
  readonly committed: Int64Column | null;
  readonly view_id: string;
  readonly catalog_version: Int64Column;
  readonly pass: string | null;
};

/** Row of the last event of a record. */
export type EventRow = {
  readonly customer: string;
  readonly number: Int64Column;
  readonly resource: string;
  readonly record_key: string;
  readonly key_in_address: string | null;
  readonly hash: string | null;
};

export const eventLogTable = (knex: Knex) => knex<EventLogRow>("cadastre_event_log");
export const eventTable = (knex: Knex) => knex<EventRow>("cadastre_event");

/** Deletes the events of a customer. */
export async function deleteEvents(knex: Knex, customer: string): Promise<void> {
  await eventLogTable(knex).where({ customer }).delete();
  await eventTable(knex).where({ customer }).delete();
}
