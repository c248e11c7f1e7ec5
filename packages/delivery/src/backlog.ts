import type { Knex } from "@cadastre/store/registry";
import { deliveryTable } from "./ledger/tables/delivery-rows.ts";
import { messageTable } from "./webhooks/tables/webhook-rows.ts";

/** Work on deliveries that waits for a worker. */
export type Backlog = {
  /** Deliveries that wait to be built or published, or to be tried again. */
  readonly deliveries: number;
  /** Creation time of the oldest of them, in milliseconds since 1970; undefined if none waits. */
  readonly oldest: number | undefined;
  /** Messages to webhooks that have not arrived. */
  readonly messages: number;
};

type Aggregates = { readonly count: number | string; readonly oldest: number | string | null };

/** Counts the work that waits in a registry. */
export async function readBacklog(knex: Knex): Promise<Backlog> {
  const [waiting] = (await deliveryTable(knex)
    .whereIn("state", ["queued", "sealed"])
    .count({ count: "*" })
    .min({ oldest: "created" })) as readonly Aggregates[];
  const [messages] = (await messageTable(knex).count({ count: "*" })) as readonly Pick<Aggregates, "count">[];
  return {
    deliveries: Number(waiting?.count ?? 0),
    oldest: waiting?.oldest == null ? undefined : Number(waiting.oldest),
    messages: Number(messages?.count ?? 0),
  };
}
