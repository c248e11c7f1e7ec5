import { createUlid, customerTable, type Knex, withCustomerLock } from "@cadastre/store/registry";
import { DeliveryError } from "../../errors.ts";
import type { NewWebhook, Webhook, WebhookRecords, WebhookSecrets } from "../webhook.ts";
import {
  messageTable,
  selectWebhooks,
  tokenTable,
  toldColumns,
  toWebhook,
  webhookTable,
} from "./webhook-rows.ts";

/**
 * Creates the part of the registry of webhooks that serves customers' requests: to register, list and delete them, replace a secret, and
 * send a test.
 */
export const createWebhookRecords = (knex: Knex): WebhookRecords => ({
  register: (webhook, secrets, most) =>
    withCustomerLock(knex, webhook.customer, (transaction) => register(transaction, webhook, secrets, most)),
  find: async (customer, id) => (await selectWebhooks(knex, { customer, id }))[0],
  list: (customer) => selectWebhooks(knex, { customer }),
  remove: (customer, id) =>
    withCustomerLock(knex, customer, async (transaction) => {
      // The lock waits for transactions that are adding messages to the webhook, and prevents new ones.
      await webhookTable(transaction).where({ customer, id }).forUpdate().first("id");
      const webhook = await requireWebhook(transaction, customer, id);
      await messageTable(transaction).where({ webhook: id }).delete();
      await tokenTable(transaction).where({ webhook: id }).delete();
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
      if (webhook.state === "suspended") await resume(transaction, id, at);
      // A test is sent immediately, not at the time of the next attempt.
      await webhookTable(transaction).where({ id }).update({ due: at });
      return requireWebhook(transaction, customer, id);
    }),
});

/** Makes a suspended webhook try again for as long as at first. */
async function resume(transaction: Knex.Transaction, webhook: string, at: number): Promise<void> {
  await webhookTable(transaction).where({ id: webhook }).update({ state: "failing", attempts: 0 });
  await messageTable(transaction).where({ webhook, type: "entity.changed" }).update({ at });
}

/** Returns a new unique id of a message. */
export const messageIdOf = (at: number): string => `msg_${createUlid(at)}`;

const entitlementEvents = ["entitlement.changed", "entitlement.revoked"] as const;

/** Registers a webhook. Call it within `withCustomerLock`. */
async function register(
  transaction: Knex.Transaction,
  { told, events, eventPush, ...webhook }: NewWebhook,
  { secret, token }: Pick<WebhookSecrets, "secret" | "token">,
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
    event_source: eventPush?.source ?? null,
    event_number: eventPush?.sent ?? null,
    state: "active",
    failure: null,
    last_status: null,
    last_attempt: null,
    told_lapse: false,
    seen_version: installed?.version ?? 0,
    // The first comparison is due immediately, because the entitlement may have changed since `told`.
    compare: entitlementEvents.some((event) => events.includes(event)) ? created : null,
    due: created,
    leased: 0,
    attempts: 0,
    round: 0,
  } as const;
  await webhookTable(transaction).insert(row);
  if (token !== null) await tokenTable(transaction).insert({ webhook: row.id, token });
  return toWebhook(row);
}

/**
 * Returns a webhook.
 *
 * @throws {DeliveryError} `not_found`
 */
async function requireWebhook(knex: Knex, customer: string, id: string): Promise<Webhook> {
  const [webhook] = await selectWebhooks(knex, { customer, id });
  if (webhook === undefined) throw new DeliveryError("not_found", id);
  return webhook;
}
