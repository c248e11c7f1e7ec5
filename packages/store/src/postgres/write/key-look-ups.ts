import { postgres, sql } from "@cadastre/odata";
import { join, render, value } from "@cadastre/odata/run";
import type { Query } from "../connection/round-trip.ts";

/** Parameters of the planner that allow other plans than a look-up of each key by an index. */
const otherPlans = ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"] as const;

/**
 * Begins statements that look up keys. The planner may have no statistics yet of rows that a transaction has just written: without this it
 * would read the whole table for each batch of a first load.
 */
export const beginKeyLookUps: Query = render(
  sql`select ${join(
    otherPlans.map((name) => sql`set_config(${value(name)}::text, 'off', true)`),
    ", ",
  )}`,
  postgres.placeholder,
);

/** Ends what {@link beginKeyLookUps} has begun before the transaction ends. */
export const endKeyLookUps: readonly Query[] = otherPlans.map((name) => ({
  text: `set local ${name} to default`,
  values: [],
}));
