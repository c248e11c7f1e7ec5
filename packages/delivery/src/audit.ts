import type { Int64Column, RegistryAudit } from "@cadastre/store/registry";
import { deadStates } from "./ledger/delivery.ts";
import { tokenOwner } from "./webhooks/secret.ts";

/** A part that a delivery needs. */
export type AuditedPart = {
  readonly delivery: string;
  readonly number: number;
  readonly sha256: string;
  readonly byteLength: number;
};

/** A signed manifest and the hash that its delivery has of it. */
export type AuditedManifest = {
  readonly delivery: string;
  readonly text: string;
  readonly sha256: string;
  /** Hash that the delivery has of its manifest; null if it has none, which is a fault. */
  readonly deliverySha256: string | null;
  /** JSON text. */
  readonly signature: string;
};

/** An encrypted text of the destination or webhook `owner`, or of the token of a webhook. */
export type EncryptedText = {
  readonly kind: "destination" | "webhook";
  readonly owner: string;
  readonly text: string;
};

/** Reads the references from deliveries, destinations and webhooks to secrets, keys and parts. */
export type DeliveryAudit = {
  /** Reads the external ids of destinations, and the secrets and tokens of webhooks that are not disabled. */
  readonly encryptedTexts: () => AsyncIterable<EncryptedText>;
  /** Reads the manifests of deliveries that are not dead. */
  readonly manifests: () => AsyncIterable<AuditedManifest>;
  /** Reads the parts of deliveries that are not dead, ordered by digest, each digest once. */
  readonly parts: () => AsyncIterable<AuditedPart>;
  /** True if the registry lists a stored file of this digest. */
  readonly knowsBytes: (sha256: string) => Promise<boolean>;
  /** True if a delivery that is not dead has a part of this digest. */
  readonly needsPart: (sha256: string) => Promise<boolean>;
};

const isAlive = `d.state not in (${deadStates.map((state) => `'${state}'`).join(", ")})`;

/** Returns the part of an audit that concerns deliveries. */
export function auditDeliveries({ prepare }: Pick<RegistryAudit, "prepare">): DeliveryAudit {
  const destinations = prepare<EncryptedText>(
    "cadastre_destination",
    `select 'destination' as "kind", id as "owner", external_id as "text"
      from cadastre_destination where external_id is not null order by id`,
  );
  const webhooks = prepare<EncryptedText>(
    "cadastre_webhook",
    `select 'webhook' as "kind", id as "owner", secret as "text" from cadastre_webhook where state <> 'disabled' order by id`,
  );
  const tokens = prepare<EncryptedText>(
    "cadastre_webhook_token",
    `select 'webhook' as "kind", w.id as "owner", t.token as "text"
      from cadastre_webhook_token t join cadastre_webhook w on w.id = t.webhook where w.state <> 'disabled' order by w.id`,
  );
  const manifests = prepare<AuditedManifest>(
    "cadastre_manifest",
    `select m.delivery, m.text, m.sha256, m.signature, d.manifest_sha256 as "deliverySha256"
      from cadastre_manifest m join cadastre_delivery d on d.id = m.delivery where ${isAlive} order by m.delivery`,
  );
  const parts = prepare<Omit<AuditedPart, "byteLength"> & { readonly byteLength: Int64Column }>(
    "cadastre_delivery_part",
    `select delivery, number, sha256, "byteLength" from (
      select p.delivery, p.number, p.sha256, p.byte_length as "byteLength",
        row_number() over (partition by p.sha256 order by p.delivery, p.number) as "nth"
      from cadastre_delivery_part p join cadastre_delivery d on d.id = p.delivery where ${isAlive}
    ) as listed where "nth" = 1 order by sha256`,
  );
  const needed = prepare(
    "cadastre_delivery_part",
    `select 1 from cadastre_delivery_part p join cadastre_delivery d on d.id = p.delivery where ${isAlive} and p.sha256 = ?`,
  );
  const bytes = prepare("cadastre_part_bytes", "select 1 from cadastre_part_bytes where sha256 = ?");
  return {
    async *encryptedTexts() {
      yield* destinations.rows();
      yield* webhooks.rows();
      for await (const token of tokens.rows()) yield { ...token, owner: tokenOwner(token.owner) };
    },
    manifests: () => manifests.rows(),
    async *parts() {
      for await (const row of parts.rows()) yield { ...row, byteLength: Number(row.byteLength) };
    },
    knowsBytes: async (sha256) => (await bytes.first(sha256)) !== undefined,
    needsPart: async (sha256) => (await needed.first(sha256)) !== undefined,
  };
}
