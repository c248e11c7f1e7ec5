import {
  createDeliveries,
  createSubscriptions,
  createWebhooks,
  type DamageReport,
  type ExportSource,
} from "@cadastre/delivery";
import type { AuditTrail } from "../audit/audit-trail.ts";
import { keyFor } from "../data/derived-keys.ts";
import type { Secrets } from "../data/secrets.ts";
import type { ExportDependencies } from "./exporting.ts";
import type { DeliveryServices } from "./services.ts";

/** Creates the dependencies of the routes of deliveries. */
export function openDeliveries(
  {
    config,
    registry,
    outputs,
    manifestKeys,
    parts,
    destinations,
    retention,
    creditsOf,
    webhookTerms,
  }: ExportDependencies,
  {
    audit,
    source,
    onDamage,
    skipTokenKey,
  }: {
    readonly audit: AuditTrail;
    readonly source: ExportSource;
    readonly onDamage: (report: DamageReport) => void;
  } & Pick<Secrets, "skipTokenKey">,
): DeliveryServices {
  const targets = config.push ? destinations : undefined;
  const delivered = { source, profiles: outputs, targets };
  return {
    audit,
    destinations,
    webhooks: createWebhooks({ registry: registry.webhooks, ...webhookTerms }),
    isDirect: config.grants === "direct_https",
    isPushing: config.push,
    subscriptions: createSubscriptions({ ...delivered, registry: registry.subscriptions }),
    deliveries: createDeliveries({
      ...delivered,
      ledger: registry.deliveries,
      parts,
      onDamage,
      retention,
      creditsOf,
    }),
    manifestKeys: manifestKeys.published,
    cursorKey: keyFor("cursor of file exports", { skipTokenKey }),
  };
}
