import type { WebhookTerms } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import { sealingKeys } from "../data/derived-keys.ts";
import type { Secrets } from "../data/secrets.ts";

/** Returns the permitted targets of webhooks, and the key that encrypts their secrets, which is derived from the folder's secrets. */
export const webhookTermsOf = (
  { webhookLoopback: loopback }: Pick<Config, "webhookLoopback">,
  secrets: Pick<Secrets, "skipTokenKey">,
): WebhookTerms => ({
  loopback,
  key: sealingKeys.webhook(secrets),
});
