import type { Knex } from "knex";
import type { RecordState } from "./record-state.ts";

/** Databases that events are kept in. */
export type EventEngine = "sqlite" | "postgres";

/** Puts events of a customer with ascending numbers in the place of the last events of their records. */
type PutEvents = (
  transaction: Knex.Transaction,
  customer: string,
  first: number,
  states: readonly RecordState[],
) => Promise<void>;

const insert = "insert into cadastre_event (customer, number, resource, record_key, key_in_address, hash)";
const onConflict =
  "on conflict (customer, record_key, resource) do update set number = excluded.number, hash = excluded.hash";

/** One statement for all events, whose text does not depend on their number: knex takes longer to write one with many rows than the database to insert them. */
export const putEvents: Readonly<Record<EventEngine, PutEvents>> = {
  sqlite: async (transaction, customer, first, states) => {
    if (states.length === 0) return;
    const rows = states.map(({ resource, key, keyInAddress, hash }) => [resource, key, keyInAddress, hash]);
    await transaction.raw(
      `${insert} select ?, ? + key, value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?) where true ${onConflict}`,
      [customer, first, JSON.stringify(rows)],
    );
  },
  postgres: async (transaction, customer, first, states) => {
    if (states.length === 0) return;
    const columns = (["resource", "key", "keyInAddress", "hash"] as const).map((name) =>
      states.map((state) => state[name]),
    );
    await transaction.raw(
      `${insert} select ?, ?::bigint + position - 1, resource, record_key, key_in_address, hash
        from unnest(?::text[], ?::text[], ?::text[], ?::text[]) with ordinality as event (resource, record_key, key_in_address, hash, position)
        ${onConflict}`,
      [customer, first, ...columns] as Knex.RawBinding[],
    );
  },
};
