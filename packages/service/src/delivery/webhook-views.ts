import type { IssuedWebhook, Webhook } from "@cadastre/delivery";

const instant = (at: number): string => new Date(at).toISOString();
const orNull = (at: number | null): string | null => (at === null ? null : instant(at));

/** Returns the JSON of a webhook: the members of the request, then its state. */
export const webhookView = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.events,
  status: webhook.state,
  failure: webhook.failure === null ? null : { code: webhook.failure },
  last_status: webhook.lastStatus,
  last_attempt_at: orNull(webhook.lastAttempt),
  previous_secret_until: orNull(webhook.previousUntil),
  created_at: instant(webhook.created),
});

/** Returns the JSON of a webhook with its secret, which is only shown in this answer. */
export const issuedWebhookView = ({ webhook, secret }: IssuedWebhook) => ({
  ...webhookView(webhook),
  secret,
});
