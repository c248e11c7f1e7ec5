import { type Int64Column, int64ToNumber, type Knex } from "@cadastre/store/registry";
import type { OutboxMessage } from "../outbox.ts";
import type { ToldEntitlement, Webhook, WebhookState } from "../webhook.ts";

export type WebhookRow = {
  readonly id: string;
  readonly customer: string;
  readonly url: string;
  /** JSON text. */
  readonly events: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: Int64Column | null;
  readonly event_source: string | null;
  /** Number of the last event that has arrived. Null unless the webhook gets entity events. */
  readonly event_number: Int64Column | null;
  readonly created: Int64Column;
  readonly state: WebhookState;
  readonly failure: string | null;
  readonly last_status: number | null;
  readonly last_attempt: Int64Column | null;
  /** Version of the entitlement that the customer was last notified of. */
  readonly told_version: Int64Column | null;
  /** SHA-256 of that entitlement's scope. */
  readonly told_scope: string | null;
  /** See `Webhook.toldLapse`. Null in rows of earlier versions. */
  readonly told_lapse: boolean | 0 | 1 | null;
  /** Version of the customer's installed entitlement at the last comparison, whether or not it could be verified. */
  readonly seen_version: Int64Column;
  /** Time of the next comparison; null if the webhook receives no event about the entitlement. */
  readonly compare: Int64Column | null;
  /** Time of the next attempt to send. */
  readonly due: Int64Column;
  /** Time until which a sender has the webhook. */
  readonly leased: Int64Column;
  /** Failed attempts since the last success. */
  readonly attempts: number;
  /** Increases with each lease. A result of an earlier lease is ignored. */
  readonly round: number;
};

export type WebhookTokenRow = { readonly webhook: string; readonly token: string };

export type MessageRow = Pick<OutboxMessage, "id" | "type"> & {
  readonly webhook: string;
  readonly at: Int64Column;
  readonly delivery: string | null;
  readonly entitlement_version: Int64Column | null;
  readonly subscription: string | null;
  /** Reason of a suspension. */
  readonly code: string | null;
};

/** Query builders for the tables. */
export const webhookTable = (knex: Knex) => knex<WebhookRow>("cadastre_webhook");
export const tokenTable = (knex: Knex) => knex<WebhookTokenRow>("cadastre_webhook_token");
export const messageTable = (knex: Knex) => knex<MessageRow>("cadastre_webhook_message");

export const toWebhook = (row: WebhookRow): Webhook => ({
  id: row.id,
  customer: row.customer,
  url: row.url,
  events: JSON.parse(row.events) as Webhook["events"],
  created: Number(row.created),
  told:
    row.told_version === null || row.told_scope === null
      ? null
      : { version: Number(row.told_version), scopeSha256: row.told_scope },
  state: row.state,
  toldLapse: Boolean(row.told_lapse),
  failure: row.failure,
  lastStatus: row.last_status,
  lastAttempt: int64ToNumber(row.last_attempt),
  previousUntil: int64ToNumber(row.previous_until),
  eventPush: row.event_number === null ? null : { source: row.event_source, sent: Number(row.event_number) },
});

/** Returns the columns of the entitlement that a webhook was notified of. */
export const toldColumns = (told: ToldEntitlement) => ({
  told_version: told?.version ?? null,
  told_scope: told?.scopeSha256 ?? null,
});

/** Returns the webhooks that match all given values, oldest first. */
export async function selectWebhooks(
  knex: Knex,
  values: Partial<Pick<WebhookRow, "id" | "customer">>,
): Promise<readonly Webhook[]> {
  const rows: readonly WebhookRow[] = await webhookTable(knex).where(values).orderBy(["created", "id"]);
  return rows.map(toWebhook);
}
