import type { Int64Column, Knex } from "@cadastre/store/registry";
import { destinationTable, toDestination } from "../../destinations/tables/destination-rows.ts";
import { DeliveryError } from "../../errors.ts";
import {
  acknowledgementTable,
  referenceTable,
  toAcknowledgement,
} from "../../ledger/tables/acknowledgements.ts";
import { subscriptionTable, toSubscription } from "../../subscriptions/tables/subscription-rows.ts";
import {
  messageTable,
  toWebhook,
  type WebhookRow,
  webhookTable,
} from "../../webhooks/tables/webhook-rows.ts";
import type {
  AcknowledgementEvidence,
  DeliveryOperations,
  OperatedWebhook,
  OperatorFilter,
} from "../operations.ts";

/** Creates the operations on everything but deliveries in a database. */
export const createObjectOperations = (
  knex: Knex,
): Omit<DeliveryOperations, "deliveries" | "delivery" | "claimed" | "figures" | "retry"> => ({
  subscriptions: async (filter) => (await restricted(subscriptionTable(knex), filter)).map(toSubscription),
  subscription: async (id) => {
    const row = await subscriptionTable(knex).where({ id }).first();
    return row && toSubscription(row);
  },
  destinations: async (filter) => (await restricted(destinationTable(knex), filter)).map(toDestination),
  destination: async (id) => {
    const row = await destinationTable(knex).where({ id }).first();
    return row && toDestination(row);
  },
  webhooks: async (filter) => withMessages(knex, await restricted(webhookTable(knex), filter)),
  webhook: async (id) => (await withMessages(knex, await webhookTable(knex).where({ id })))[0],
  acknowledgements: async ({ customer, delivery, limit }) => {
    const found = acknowledgementTable(knex)
      .join("cadastre_delivery as d", "d.id", "cadastre_acknowledgement.delivery")
      .orderBy(["cadastre_acknowledgement.at", "d.id"].map((column) => ({ column, order: "desc" as const })))
      .limit(limit)
      .select("cadastre_acknowledgement.*", "d.customer", "d.subscription");
    if (customer !== undefined) found.where("d.customer", customer);
    if (delivery !== undefined) found.where("d.id", delivery);
    return withReferences(knex, (await found) as readonly AcknowledgedRow[]);
  },
  resumeWebhook: async (id, at) => {
    const [row] = await webhookTable(knex)
      .where({ id })
      .update({
        due: at,
        attempts: 0,
        state: knex.raw("case ?? when 'disabled' then 'active' else ?? end", ["state", "state"]),
      })
      .returning("*");
    if (row === undefined) throw new DeliveryError("not_found", id);
    return toWebhook(row);
  },
});

/** Restricts a query of the rows of one of the tables, and sorts them by their time of creation. */
function restricted<Query extends Knex.QueryBuilder>(
  query: Query,
  { customer, states, limit }: OperatorFilter,
): Query {
  query.orderBy(["created", "id"].map((column) => ({ column, order: "desc" as const }))).limit(limit);
  if (customer !== undefined) query.where({ customer });
  if (states !== undefined) query.whereIn("state", states);
  return query;
}

type WaitingRow = { readonly webhook: string; readonly count: number | string; readonly oldest: Int64Column };

async function withMessages(knex: Knex, rows: readonly WebhookRow[]): Promise<readonly OperatedWebhook[]> {
  const waiting = (await messageTable(knex)
    .whereIn(
      "webhook",
      rows.map(({ id }) => id),
    )
    .groupBy("webhook")
    .select("webhook")
    .count({ count: "*" })
    .min({ oldest: "at" })) as unknown as readonly WaitingRow[];
  const messages = new Map(waiting.map((row) => [row.webhook, row]));
  return rows.map((row) => {
    const found = messages.get(row.id);
    return {
      webhook: toWebhook(row),
      waiting: Number(found?.count ?? 0),
      oldest: found === undefined ? null : Number(found.oldest),
      due: Number(row.due),
      attempts: row.attempts,
    };
  });
}

type AcknowledgedRow = Parameters<typeof toAcknowledgement>[0] &
  Pick<AcknowledgementEvidence, "customer" | "subscription">;

async function withReferences(
  knex: Knex,
  rows: readonly AcknowledgedRow[],
): Promise<readonly AcknowledgementEvidence[]> {
  const further = await referenceTable(knex)
    .whereIn(
      "delivery",
      rows.map(({ delivery }) => delivery),
    )
    .orderBy(["at", "reference"]);
  return rows.map((row) => {
    const first = toAcknowledgement(row);
    const more = further
      .filter(({ delivery }) => delivery === row.delivery)
      .map(({ reference, at }) => ({ reference, at: Number(at) }));
    return {
      ...first,
      customer: row.customer,
      subscription: row.subscription,
      references: [{ reference: first.reference, at: first.at }, ...more],
    };
  });
}
