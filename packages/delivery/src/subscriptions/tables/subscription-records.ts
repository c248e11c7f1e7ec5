import type { Knex } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";
import { DeliveryError } from "../../errors.ts";
import { type DeliveryPlace, openStates, partLost, statesBefore } from "../../ledger/delivery.ts";
import { acknowledgementTable } from "../../ledger/tables/acknowledgements.ts";
import { insertDelivery } from "../../ledger/tables/create-delivery.ts";
import { deliveryTable, revocable, selectDelivery, toDelivery } from "../../ledger/tables/delivery-rows.ts";
import type { SubscriptionRegistry, SubscriptionStep } from "../subscription.ts";
import { createSubscription, replaySubscription } from "./create-subscription.ts";
import { selectReach } from "./subscription-reach.ts";
import {
  changedColumns,
  type SubscriptionRow,
  subscriptionTable,
  toSubscription,
} from "./subscription-rows.ts";

/** Creates the registry of subscriptions in a database. */
export const createSubscriptionRegistry = (knex: Knex): SubscriptionRegistry => ({
  create: createSubscription(knex),
  replay: replaySubscription(knex),
  find: async (customer, id) => {
    const row = await subscriptionTable(knex).where({ customer, id }).first();
    return row && toSubscription(row);
  },
  list: async (customer, limit) => {
    const rows = await subscriptionTable(knex).where({ customer }).orderBy("id", "desc").limit(limit);
    return rows.map(toSubscription);
  },
  deliveries: async (customer, subscription, limit, from) => {
    const order = from === undefined ? "desc" : "asc";
    const rows = await deliveryTable(knex)
      .where({ customer, subscription })
      .where((query) => void (from === undefined ? query : isFrom(query, from)))
      .orderBy(["generation", "sequence", "id"].map((column) => ({ column, order })))
      .limit(limit);
    return rows.map(toDelivery);
  },
  acknowledgements: async (ids) => {
    const rows = await acknowledgementTable(knex).whereIn("delivery", ids).select("delivery", "at");
    return new Map(rows.map(({ delivery, at }) => [delivery, Number(at)]));
  },
  reach: (id) => selectReach(knex, id),
  delivery: (id) => selectDelivery(knex, { id }),
  needingStep: async (at, after, limit) => {
    const rows: readonly SubscriptionRow[] = await waiting(knex, at)
      .andWhere("cadastre_subscription.id", ">", after)
      .orderBy("cadastre_subscription.id")
      .limit(limit);
    return rows.map(toSubscription);
  },
  isBroken: async ({ id }) => {
    const broken = subscriptionTable(knex).where({ id }).whereExists(lostDeliveries(knex));
    return (await broken.first("id")) !== undefined;
  },
  step: ({ id, customer, revision, delivery }, { changes, creates, cancels }) =>
    knex.transaction(async (transaction) => {
      const created = creates === undefined ? {} : { delivery: creates.id };
      const [row] = await subscriptionTable(transaction)
        .where({ id, customer, revision })
        .update({ ...changedColumns(changes), ...created, ...untold(changes), revision: revision + 1 })
        .returning("*");
      if (row === undefined) throw new DeliveryError("subscription_changed", id);
      if (cancels !== undefined && delivery !== null) {
        const isGivenUp = await giveUp(transaction, delivery, cancels);
        if (!isGivenUp && row.state !== "canceled") throw new DeliveryError("delivery_not_open", delivery);
      }
      if (creates !== undefined) await insertDelivery(transaction, creates);
      return toSubscription(row);
    }),
});

const isFrom = (query: Knex.QueryBuilder, { generation, sequence }: DeliveryPlace) =>
  query
    .where("generation", ">", generation)
    .orWhere((same) => void same.where({ generation }).andWhere("sequence", ">=", sequence));

/** Forgets that webhooks were notified of a suspension, once it has ended. */
const untold = ({ state }: SubscriptionStep["changes"]) =>
  state === undefined || state === "suspended" ? {} : { told_code: null };

/**
 * Cancels a delivery. Returns true if it is canceled or failed, false if it is committed.
 *
 * @throws {DeliveryError} `subscription_changed` if it is complete in the meantime; its result must be processed first
 */
async function giveUp(transaction: Knex.Transaction, id: string, code: string): Promise<boolean> {
  await revocable(transaction)
    .where({ id })
    .whereIn("state", statesBefore("canceled"))
    .update({ state: "canceled", code, worker: null, announced: null });
  const delivery = await selectDelivery(transaction, { id });
  if (delivery?.state === "canceled" || delivery?.state === "failed") return true;
  if (openStates.some((open) => open === delivery?.state)) return false;
  throw new DeliveryError("subscription_changed", id);
}

/** Selects lost deliveries of a subscription's generation, if neither they nor later ones are acknowledged. */
const lostDeliveries = (knex: Knex) =>
  deliveryTable(knex)
    .from("cadastre_delivery as l")
    .whereRaw("?? = ??", ["l.subscription", "cadastre_subscription.id"])
    .whereRaw("?? = ??", ["l.generation", "cadastre_subscription.generation"])
    .where({ "l.state": "failed", "l.code": partLost })
    .whereNotNull("l.completed")
    .whereNotExists(
      acknowledgementTable(knex)
        .from("cadastre_acknowledgement as k")
        .join("cadastre_delivery as a", "a.id", "k.delivery")
        .whereRaw("?? = ??", ["a.subscription", "l.subscription"])
        .whereRaw("?? = ??", ["a.generation", "l.generation"])
        .whereRaw("?? >= ??", ["a.sequence", "l.sequence"]),
    );

/** Code of a subscription that is suspended because its destination is not active. */
const destinationDegraded = "destination_degraded";

const cadenceInMilliseconds = (knex: Knex) =>
  knex.raw("cast(?? as bigint) * 1000", ["cadastre_subscription.cadence_seconds"]);

/** Selects the subscriptions that need a step, see `SubscriptionRegistry.needingStep`. */
const waiting = (knex: Knex, at: number) =>
  subscriptionTable(knex)
    .join("cadastre_customer as c", "c.name", "cadastre_subscription.customer")
    .leftJoin("cadastre_delivery as d", "d.id", "cadastre_subscription.delivery")
    .leftJoin("cadastre_destination as t", "t.id", "cadastre_subscription.destination")
    .whereNot("cadastre_subscription.state", "canceled")
    .andWhere((either) => {
      either.where(hasEnded).orWhere((next) => {
        next
          .whereNull("cadastre_subscription.delivery")
          .whereIn("cadastre_subscription.state", ["active", "suspended"])
          .andWhere((now) => {
            now
              .where(hasElapsed("cadastre_subscription.due", at, cadenceInMilliseconds(knex)))
              .orWhereRaw("?? <> ??", ["c.version", "cadastre_subscription.entitlement_version"])
              .orWhere(hasOtherDestination)
              .orWhere(isMisread)
              .orWhereExists(lostDeliveries(knex));
          })
          .whereNotNull("cadastre_subscription.due");
      });
    })
    .select("cadastre_subscription.*");

/** Restricts a statement to subscriptions whose destination has become active again, or is no longer active. */
const hasOtherDestination = (builder: Knex.QueryBuilder): void => {
  const isDegraded = { "cadastre_subscription.code": destinationDegraded };
  builder
    .where((repaired) => {
      repaired.where({ ...isDegraded, "t.state": "active" });
    })
    .orWhere((degraded) => {
      degraded.where("cadastre_subscription.state", "active").whereNot("t.state", "active");
    });
};

/** Restricts a statement to subscriptions that a scheduler of a release without filters has suspended. */
const isMisread = (builder: Knex.QueryBuilder): void => {
  builder
    .where({ "cadastre_subscription.code": "unknown_profile" })
    .whereNotNull("cadastre_subscription.narrowing");
};

const hasEnded = (builder: Knex.QueryBuilder): void => {
  builder.whereNotNull("cadastre_subscription.delivery").whereNotIn("d.state", openStates);
};
