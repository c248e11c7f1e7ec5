import { createUlid, customerTable, type Knex, withCustomerLock } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import type { NewWebhook, Webhook, WebhookRecords } from "../webhook.ts";
import { messageTable, selectWebhooks, toldColumns, toWebhook, webhookTable } from "./webhook-rows.ts";

/** The webhooks in a database, as customers ask for them. */
export const createWebhookRecords = (knex: Knex): WebhookRecords => ({
  register: (webhook, secret, most) =>
    withCustomerLock(knex, webhook.customer, (transaction) => register(transaction, webhook, secret, most)),
  find: async (customer, id) => (await selectWebhooks(knex, { customer, id }))[0],
  list: (customer) => selectWebhooks(knex, { customer }),
  remove: (customer, id) =>
    withCustomerLock(knex, customer, async (transaction) => {
      // It is told nothing from here on: whoever is just telling it something has ended.
      await webhookTable(transaction).where({ customer, id }).forUpdate().first("id");
      const webhook = await requireWebhook(transaction, customer, id);
      await messageTable(transaction).where({ webhook: id }).delete();
      await webhookTable(transaction).where({ customer, id }).delete();
      return webhook;
    }),
  rotate: (customer, id, secret, until) =>
    withCustomerLock(knex, customer, async (transaction) => {
      await webhookTable(transaction)
        .where({ customer, id })
        .update({ previous_secret: transaction.ref("secret"), previous_until: until, secret });
      return requireWebhook(transaction, customer, id);
    }),
  test: (customer, id, at) =>
    withCustomerLock(knex, customer, async (transaction) => {
      const webhook = await requireWebhook(transaction, customer, id);
      if (webhook.state === "disabled") throw new DeliveryError("webhook_disabled", id);
      const test = { webhook: id, type: "webhook.test" } as const;
      if ((await messageTable(transaction).where(test).first("id")) === undefined)
        await messageTable(transaction).insert({ ...test, id: messageIdOf(at), at });
      // Whoever asks for a test does not wait for the next attempt.
      await webhookTable(transaction).where({ id }).update({ due: at });
      return webhook;
    }),
});

/** The id of a message that nobody has. */
export const messageIdOf = (at: number): string => `msg_${createUlid(at)}`;

/** To be called in the customer's turn. */
async function register(
  transaction: Knex.Transaction,
  { told, events, ...webhook }: NewWebhook,
  secret: string,
  most: number,
): Promise<Webhook> {
  const { customer, created } = webhook;
  if ((await selectWebhooks(transaction, { customer })).length >= most)
    throw new DeliveryError("too_many_webhooks");
  const installed = await customerTable(transaction).where({ name: customer }).first("version");
  const row = {
    ...webhook,
    ...toldColumns(told),
    events: JSON.stringify(events),
    secret,
    previous_secret: null,
    previous_until: null,
    state: "active",
    failure: null,
    last_status: null,
    last_attempt: null,
    seen_version: installed?.version ?? 0,
    // At once: what was told of may be another one by now.
    compare: events.includes("entitlement.changed") ? created : null,
    due: created,
    leased: 0,
    attempts: 0,
    round: 0,
  } as const;
  await webhookTable(transaction).insert(row);
  return toWebhook(row);
}

/** @throws {DeliveryError} `not_found` */
async function requireWebhook(knex: Knex, customer: string, id: string): Promise<Webhook> {
  const [webhook] = await selectWebhooks(knex, { customer, id });
  if (webhook === undefined) throw new DeliveryError("not_found", id);
  return webhook;
}
