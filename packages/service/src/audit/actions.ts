/**
 * The actions in the audit trail, by name, with their meaning. The list is closed. A name is never changed and never used for another
 * action, because rules of a SIEM refer to it.
 */
export const auditActions = {
  "key.issue": "API key created",
  "key.rotate": "Second API key created for the customer; the first one gets an end",
  "key.revoke": "API key ended",
  "key.rotate_pepper": "New pepper for the digests of API keys",
  "secrets.seal": "Secrets sealed in the registry, or sealed anew under another master key",
  "secrets.rotate_signing_key": "New key that signs manifests",
  "secrets.adopt": "Secrets of a node made those of the registry",
  "entitlement.sign": "Entitlement signed",
  "entitlement.install": "Entitlement put in force",
  "entitlement.remove": "Entitlement of a customer removed",
  "issuer_key.create": "Key pair of an issuer created",
  "system.add": "Partitions of a system's dataset made or attached",
  "system.retire": "All records of a system removed; no more of it is taken",
  "system.drop": "What was kept of a retired system's records deleted for good",
  "system.restore": "Retirement of a system undone, with its records or without",
  "demo.prepare": "Demo customers given the keys and entitlements that they lack, at a start",
  "backup.create": "Data folder copied, with its secrets",
  "export.create": "Delivery requested",
  "export.cancel": "Delivery canceled",
  "export.acknowledge": "Delivery acknowledged",
  "export.grant": "Access to a part or a manifest granted",
  "export.redeem": "Part or manifest fetched with a grant",
  "subscription.create": "Subscription created",
  "subscription.pause": "Subscription paused",
  "subscription.resume": "Subscription resumed",
  "subscription.reset": "Subscription started over",
  "subscription.cancel": "Subscription canceled",
  "destination.reserve": "Destination reserved",
  "destination.verify": "Verification of a destination requested",
  "destination.rotate": "External id of a destination replaced",
  "destination.disable": "Destination disabled",
  "webhook.register": "Webhook registered",
  "webhook.delete": "Webhook deleted",
  "webhook.rotate": "Secret of a webhook replaced",
  "webhook.test": "Test message to a webhook requested",
} as const;

export type AuditAction = keyof typeof auditActions;
