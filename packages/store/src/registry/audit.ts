import Database from "better-sqlite3";
import { deadStates } from "./deliveries/delivery.ts";
import { giveUp } from "./guarded.ts";
import type { PepperCheck } from "./guards/guards.ts";

/** A part that a delivery needs. */
export type AuditedPart = {
  readonly delivery: string;
  readonly number: number;
  readonly sha256: string;
  readonly byteLength: number;
};

/** A manifest as it was sealed, with what its delivery says of it. */
export type AuditedManifest = {
  readonly delivery: string;
  readonly text: string;
  readonly sha256: string;
  /** Manifest hash of the delivery; null until it is complete. */
  readonly deliverySha256: string | null;
  /** JSON text. */
  readonly signature: string;
};

/** An encrypted text of the destination or webhook `owner`. */
export type SealedText = {
  readonly kind: "destination" | "webhook";
  readonly owner: string;
  readonly text: string;
};

export type AuditedEntitlement = {
  readonly customer: string;
  readonly version: number;
  readonly jws: string;
};

/** Reads the references of a registry to secrets, keys and parts, in one read transaction. */
export type RegistryAudit = {
  /** Returns the peppers of API keys in force, and the number of such keys. @param at time in milliseconds since 1970 */
  readonly peppers: (at: number) => readonly { readonly version: number; readonly keys: number }[];
  /** Check values of the peppers that the registry was used with. */
  readonly pepperChecks: () => readonly PepperCheck[];
  /** Returns the customer of a key in force; undefined if there is none. @param at time in milliseconds since 1970 */
  readonly customerOfKey: (digest: string, at: number) => string | undefined;
  /** Id of the registry; undefined if it has none yet. */
  readonly id: () => string | undefined;
  readonly entitlements: () => Iterable<AuditedEntitlement>;
  readonly sealedTexts: () => Iterable<SealedText>;
  readonly manifests: () => Iterable<AuditedManifest>;
  /** Returns the parts of deliveries that are not over, ordered by digest, each digest once. */
  readonly parts: () => Iterable<AuditedPart>;
  /** True if the registry lists a stored file of this digest. */
  readonly knowsBytes: (sha256: string) => boolean;
  /** True if a delivery that is not over has a part of this digest. */
  readonly needsPart: (sha256: string) => boolean;
  readonly close: () => void;
};

const dead = deadStates.map((state) => `'${state}'`).join(", ");

/** Statements, and the table that each needs: an older registry may not have the table. */
const reads = {
  peppers: {
    from: "cadastre_api_key",
    sql: `select pepper as "version", count(*) as "keys" from cadastre_api_key
      where revoked is null and (expires is null or expires > ?) group by pepper order by pepper`,
  },
  pepperChecks: {
    from: "cadastre_pepper",
    sql: `select version, check_value as "checkValue" from cadastre_pepper order by version`,
  },
  key: {
    from: "cadastre_api_key",
    sql: `select customer from cadastre_api_key
      where digest = ? and revoked is null and (expires is null or expires > ?)`,
  },
  id: { from: "cadastre_registry", sql: "select id from cadastre_registry" },
  entitlements: {
    from: "cadastre_customer",
    sql: `select name as "customer", version, entitlement as "jws" from cadastre_customer order by name`,
  },
  destinations: {
    from: "cadastre_destination",
    sql: `select 'destination' as "kind", id as "owner", external_id as "text"
      from cadastre_destination where external_id is not null order by id`,
  },
  webhooks: {
    from: "cadastre_webhook",
    sql: `select 'webhook' as "kind", id as "owner", secret as "text" from cadastre_webhook where state <> 'disabled' order by id`,
  },
  manifests: {
    from: "cadastre_manifest",
    sql: `select m.delivery, m.text, m.sha256, m.signature, d.manifest_sha256 as "deliverySha256"
      from cadastre_manifest m join cadastre_delivery d on d.id = m.delivery
      where d.state not in (${dead}) order by m.delivery`,
  },
  parts: {
    from: "cadastre_delivery_part",
    sql: `select p.delivery, p.number, p.sha256, p.byte_length as "byteLength", min(p.delivery)
      from cadastre_delivery_part p join cadastre_delivery d on d.id = p.delivery
      where d.state not in (${dead}) group by p.sha256 order by p.sha256`,
  },
  needed: {
    from: "cadastre_delivery_part",
    sql: `select 1 from cadastre_delivery_part p join cadastre_delivery d on d.id = p.delivery
      where d.state not in (${dead}) and p.sha256 = ?`,
  },
  bytes: { from: "cadastre_part_bytes", sql: "select 1 from cadastre_part_bytes where sha256 = ?" },
} as const satisfies Record<string, { readonly from: string; readonly sql: string }>;

/** @throws {StoreError} `registry_unavailable` */
export function openRegistryAudit(file: string): RegistryAudit {
  const database = open(file);
  const tables = new Set(
    database.prepare(`select name from sqlite_schema where type = 'table'`).pluck().all(),
  );
  const statement = (name: keyof typeof reads) =>
    tables.has(reads[name].from) ? database.prepare(reads[name].sql) : undefined;
  const rows = <Row>(name: keyof typeof reads): Iterable<Row> =>
    (statement(name)?.iterate() ?? []) as Iterable<Row>;
  return {
    peppers: (at) => (statement("peppers")?.all(at) ?? []) as { version: number; keys: number }[],
    pepperChecks: () => (statement("pepperChecks")?.all() ?? []) as PepperCheck[],
    customerOfKey: (digest, at) =>
      (statement("key")?.get(digest, at) as { customer: string } | undefined)?.customer,
    id: () => (statement("id")?.get() as { id: string } | undefined)?.id,
    entitlements: () => rows("entitlements"),
    sealedTexts: function* () {
      yield* rows<SealedText>("destinations");
      yield* rows<SealedText>("webhooks");
    },
    manifests: () => rows("manifests"),
    parts: () => rows("parts"),
    knowsBytes: (sha256) => statement("bytes")?.get(sha256) !== undefined,
    needsPart: (sha256) => statement("needed")?.get(sha256) !== undefined,
    close: () => void database.close(),
  };
}

function open(file: string): Database.Database {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    database.exec("begin");
    database.prepare("select count(*) from sqlite_schema").get();
    return database;
  } catch (error) {
    return giveUp(error);
  }
}
