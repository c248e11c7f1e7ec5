import type { WebhookTerms } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import { sealingKeys } from "../data/derived-keys.ts";
import type { Secrets } from "../data/secrets.ts";

/** Where webhooks may go, and how their secrets are kept: under a key that follows from the folder's secrets. */
export const webhookTermsOf = (
  { webhookLoopback: loopback }: Pick<Config, "webhookLoopback">,
  secrets: Pick<Secrets, "skipTokenKey">,
): WebhookTerms => ({
  loopback,
  key: sealingKeys.webhook(secrets),
});
