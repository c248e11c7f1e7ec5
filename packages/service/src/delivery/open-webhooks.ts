import { hkdfSync } from "node:crypto";
import { createWebhooks, type Webhooks } from "@cadastre/delivery";
import type { Registry } from "@cadastre/store/registry";
import type { Config } from "../config.ts";
import type { Secrets } from "../data/secrets.ts";

/** How secrets of webhooks are kept, and where webhooks may go. */
export const webhookTerms = (
  { webhookLoopback: loopback }: Pick<Config, "webhookLoopback">,
  { skipTokenKey }: Pick<Secrets, "skipTokenKey">,
) => ({ loopback, key: Buffer.from(hkdfSync("sha256", skipTokenKey, "", "secrets of webhooks", 32)) });

/** The webhooks of a registry, with their secrets under a key that follows from the folder's secrets. */
export const openWebhooks = (
  config: Pick<Config, "webhookLoopback">,
  { webhooks: registry }: Pick<Registry, "webhooks">,
  secrets: Pick<Secrets, "skipTokenKey">,
): Webhooks => createWebhooks({ registry, ...webhookTerms(config, secrets) });
