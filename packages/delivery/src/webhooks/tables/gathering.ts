import { customerTable, type Int64Column, type Knex, withCustomerLock } from "@cadastre/store/registry";
import { hasElapsed } from "../../elapsed.ts";
import { type Delivery, openStates } from "../../ledger/delivery.ts";
import { deliveryTable, toDelivery } from "../../ledger/tables/delivery-rows.ts";
import { subscriptionTable } from "../../subscriptions/tables/subscription-rows.ts";
import type { Revocation, WebhookOutbox } from "../outbox.ts";
import type { ToldEntitlement, Webhook, WebhookEvent } from "../webhook.ts";
import { messageIdOf } from "./webhook-records.ts";
import { messageTable, toldColumns, toWebhook, type WebhookRow, webhookTable } from "./webhook-rows.ts";

/** Event for each final state of a delivery. No event is sent for a delivery that has expired before it was processed. */
const endings: Readonly<Record<string, WebhookEvent>> = {
  complete: "delivery.completed",
  failed: "delivery.failed",
  canceled: "delivery.canceled",
};

/**
 * Creates the part of the outbox that adds messages: about deliveries that have ended (`gather`), and about entitlements that have changed
 * (`claimComparison` returns a webhook whose customer's entitlement is to be compared with the one last told; `tell` adds the message).
 */
export const createGathering = (
  knex: Knex,
): Pick<
  WebhookOutbox,
  "gather" | "gatherSuspended" | "claimComparison" | "tell" | "idleForEvents" | "wake"
> => ({
  gather: async (at, limit) => {
    const ended = deliveryTable(knex).whereNull("told").whereNotIn("state", openStates);
    // A plain read first, so that an idle worker takes no lock.
    if ((await ended.clone().first("id")) === undefined) return 0;
    return knex.transaction(async (transaction) => {
      const rows = await deliveryTable(transaction)
        .whereIn("id", ended.clone().select("id").orderBy("id").limit(limit))
        // Checked again, because another process may have processed it in the meantime.
        .whereNull("told")
        .update({ told: at })
        .returning("*");
      await insertEndings(transaction, rows.map(toDelivery), at);
      return rows.length;
    });
  },
  gatherSuspended: async (at, limit) => {
    const untold = (builder: Knex) =>
      subscriptionTable(builder)
        .where({ state: "suspended" })
        .andWhere(
          (either) => void either.whereNull("told_code").orWhereRaw("?? <> ??", ["told_code", "code"]),
        );
    // A plain read first, so that an idle worker takes no lock.
    if ((await untold(knex).first("id")) === undefined) return 0;
    return knex.transaction(async (transaction) => {
      const rows = await subscriptionTable(transaction)
        .whereIn("id", untold(transaction).select("id").orderBy("id").limit(limit))
        .where({ state: "suspended" })
        .update({ told_code: transaction.raw("coalesce(??, ?)", ["code", ""]) })
        .returning("*");
      const webhooks = await lockedWebhooks(
        transaction,
        rows.map(({ customer }) => customer),
      );
      const type = "subscription.suspended";
      for (const { id: subscription, customer, code } of rows) {
        const message = { id: messageIdOf(at), type, at, subscription, code } as const;
        const told = webhooks.filter((one) => one.customer === customer && one.events.includes(type));
        if (told.length > 0)
          await messageTable(transaction).insert(told.map(({ id }) => ({ ...message, webhook: id })));
      }
      return rows.length;
    });
  },
  claimComparison: async (at, interval) => {
    const found: ComparedRow | undefined = await compared(knex, at, interval).first(
      "w.id",
      "w.compare",
      "w.seen_version",
      "c.version",
    );
    if (found === undefined) return undefined;
    const { version, ...seen } = found;
    const [row] = await webhookTable(knex)
      .where(seen)
      .update({ compare: at + interval, seen_version: version })
      .returning("*");
    return row && toWebhook(row);
  },
  tell: ({ id, customer, told }, now, { at, revocation }) =>
    withCustomerLock(knex, customer, async (transaction) => {
      const enabled = () => webhookTable(transaction).whereNot({ state: "disabled" });
      const seen = { id, ...toldColumns(told) };
      if ((await enabled().andWhere(seen).first("id")) === undefined) return false;
      const comparing = () => enabled().andWhere({ customer }).whereNotNull("compare");
      // What has lapsed before it is revoked is told in two steps.
      const lapsed =
        revocation === "all"
          ? await comparing().andWhere({ told_lapse: true }).update({ told_lapse: false }).returning("*")
          : [];
      const changed = await comparing()
        .andWhere((other) => wasToldOtherThan(other, now))
        .update({ ...toldColumns(now), told_lapse: now === null && revocation === null })
        .returning("*");
      const revoked = (await concerns(transaction, customer, revocation)) ? [...lapsed, ...changed] : [];
      const about: readonly (readonly [WebhookEvent, readonly WebhookRow[]])[] = [
        ["entitlement.changed", changed],
        ["entitlement.revoked", revoked],
      ];
      for (const [type, rows] of about) {
        const message = { id: messageIdOf(at), type, at, entitlement_version: now?.version ?? null };
        const webhooks = rows.map(toWebhook).filter(({ events }) => events.includes(type));
        if (webhooks.length > 0)
          await messageTable(transaction).insert(webhooks.map((one) => ({ ...message, webhook: one.id })));
      }
      return lapsed.length + changed.length > 0;
    }),
  idleForEvents: async () => (await idleForEvents(knex)).map(toWebhook),
  wake: ({ id, customer }, at) =>
    withCustomerLock(knex, customer, async (transaction) => {
      // Locks the webhook, so that it is not deleted before the message is inserted.
      const idle = await idleForEvents(transaction).andWhere({ id }).forKeyShare();
      if (idle.length === 0) return;
      await messageTable(transaction).insert({
        webhook: id,
        id: messageIdOf(at),
        type: "entity.changed",
        at,
      });
    }),
});

const idleForEvents = (knex: Knex): Knex.QueryBuilder<WebhookRow, WebhookRow[]> =>
  webhookTable(knex)
    .whereNotNull("event_number")
    .whereNotIn("state", ["suspended", "disabled"])
    .whereNotExists(
      messageTable(knex)
        .whereRaw("?? = ??", ["webhook", "cadastre_webhook.id"])
        .andWhere({ type: "entity.changed" }),
    )
    .orderBy(["created", "id"]);

/** True if a customer must be told of a revocation: who has had no delivery has none to delete. */
async function concerns(
  transaction: Knex.Transaction,
  customer: string,
  revocation: Revocation | null,
): Promise<boolean> {
  if (revocation !== "deliveries") return revocation === "all";
  const delivered = deliveryTable(transaction).where({ customer }).whereNotNull("completed");
  return (await delivered.first("id")) !== undefined;
}

/**
 * Restricts a statement to webhooks that were notified of another entitlement. Null is a separate case, because in SQL null
 * equals nothing.
 */
function wasToldOtherThan(webhooks: Knex.QueryBuilder, now: ToldEntitlement): void {
  if (now === null) webhooks.whereNotNull("told_version");
  else {
    const { told_version, told_scope } = toldColumns(now);
    webhooks.whereNull("told_version").orWhereNot({ told_version }).orWhereNot({ told_scope });
  }
}

type ComparedRow = Pick<WebhookRow, "id" | "compare" | "seen_version"> & {
  readonly version: Int64Column;
};

/** Selects webhooks whose customer's entitlement is to be compared, the longest waiting first. */
const compared = (knex: Knex, at: number, interval: number) =>
  customerTable(knex)
    .from("cadastre_customer as c")
    .join("cadastre_webhook as w", "w.customer", "c.name")
    .whereNot("w.state", "disabled")
    .whereNotNull("w.compare")
    .andWhere((either) => {
      either
        .where(hasElapsed("w.compare", at, interval))
        .orWhereRaw("?? <> ??", ["w.seen_version", "c.version"]);
    })
    .orderBy(["w.compare", "w.id"]);

/** Adds messages about deliveries that have ended, for the webhooks of their customers. */
async function insertEndings(
  transaction: Knex.Transaction,
  deliveries: readonly Delivery[],
  at: number,
): Promise<void> {
  const webhooks = await lockedWebhooks(
    transaction,
    deliveries.map(({ customer }) => customer),
  );
  for (const delivery of deliveries) {
    const messages = messagesOf(delivery, webhooks, at);
    if (messages.length > 0) await messageTable(transaction).insert(messages);
  }
}

/** Returns the webhooks of customers that are not disabled, locked, so that none is deleted before messages are inserted for it. */
async function lockedWebhooks(
  transaction: Knex.Transaction,
  customers: readonly string[],
): Promise<readonly Webhook[]> {
  const rows: readonly WebhookRow[] = await webhookTable(transaction)
    .whereIn("customer", [...new Set(customers)])
    .whereNot({ state: "disabled" })
    .forKeyShare();
  return rows.map(toWebhook);
}

/** Time at which a delivery ended: when it became complete, else `at`, because no other time is stored. */
const endOf = ({ state, completed }: Delivery, at: number): number =>
  state === "complete" ? (completed ?? at) : at;

function messagesOf(delivery: Delivery, webhooks: readonly Webhook[], at: number) {
  const type = endings[delivery.state];
  if (type === undefined) return [];
  const message = { id: messageIdOf(at), type, at: endOf(delivery, at), delivery: delivery.id };
  return webhooks
    .filter(({ customer, events }) => customer === delivery.customer && events.includes(type))
    .map(({ id }) => ({ ...message, webhook: id }));
}
