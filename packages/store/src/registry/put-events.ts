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
    const [one] = states;
    if (one === undefined) return;
    // Most events that are put together are of one resource and have no hash. A value costs less than an array of equal ones.
    const isEqual = (name: keyof RecordState) => states.every((state) => state[name] === one[name]);
    const columns = (["resource", "key", "keyInAddress", "hash"] as const).map((name) =>
      name !== "key" && isEqual(name)
        ? { name, only: one[name] }
        : { name, all: states.map((state) => state[name]) },
    );
    const listed = columns.filter((column) => "all" in column);
    const selected = columns.map((column) => ("all" in column ? `"${column.name}"` : "?::text"));
    await transaction.raw(
      `${insert} select ?, ?::bigint + position - 1, ${selected.join(", ")}
        from unnest(${listed.map(() => "?::text[]").join(", ")}) with ordinality as event (${listed.map(({ name }) => `"${name}"`).join(", ")}, position)
        ${onConflict}`,
      [
        customer,
        first,
        ...columns.flatMap((column) => ("all" in column ? [] : [column.only])),
        ...listed.map(({ all }) => all),
      ] as Knex.RawBinding[],
    );
  },
};
