import { hkdfSync } from "node:crypto";
import type { WebhookTerms } from "@cadastre/delivery";
import type { Config } from "../config.ts";
import type { Secrets } from "../data/secrets.ts";

/** Where webhooks may go, and how their secrets are kept: under a key that follows from the folder's secrets. */
export const webhookTermsOf = (
  { webhookLoopback: loopback }: Pick<Config, "webhookLoopback">,
  { skipTokenKey }: Pick<Secrets, "skipTokenKey">,
): WebhookTerms => ({
  loopback,
  key: Buffer.from(hkdfSync("sha256", skipTokenKey, "", "secrets of webhooks", 32)),
});
