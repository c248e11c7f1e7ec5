import { createHash } from "node:crypto";
import { type Int64Column, int64ToNumber, type Knex } from "@cadastre/store/registry";
import type {
  Delivery,
  DeliveryMode,
  DeliveryPart,
  DeliveryState,
  SealedManifestRecord,
} from "../delivery.ts";

export type DeliveryRow = {
  readonly id: string;
  readonly customer: string;
  readonly domain: string;
  readonly kind: Delivery["kind"];
  readonly mode: DeliveryMode;
  readonly destination: string | null;
  readonly subscription: string | null;
  readonly generation: Int64Column;
  readonly sequence: Int64Column;
  /** JSON text. */
  readonly previous: string | null;
  readonly from_checkpoint: Int64Column | null;
  readonly to_checkpoint: Int64Column;
  readonly entitlement_version: Int64Column;
  readonly scope_sha256: string;
  readonly pinned: string;
  readonly created: Int64Column;
  readonly expires: Int64Column;
  readonly state: DeliveryState;
  readonly code: string | null;
  readonly completed: Int64Column | null;
  readonly committed: Int64Column | null;
  readonly manifest_sha256: string | null;
  /** SQLite returns 0 or 1. */
  readonly no_change: boolean | number;
  readonly worker: string | null;
  readonly fence: Int64Column;
  readonly attempts: number;
  readonly due: Int64Column;
  /** SHA-256 of the bytes that a worker is about to write. */
  readonly announced: string | null;
  /** Time at which webhooks were notified of its end. */
  readonly told: Int64Column | null;
  /** Time of the present or last claim, by the database's clock. */
  readonly claimed: Int64Column | null;
  /** Code of the last failed attempt that was followed by a retry. */
  readonly fault: string | null;
};

type PartRow = Omit<DeliveryPart, "byteLength" | "rows" | "number"> & {
  readonly delivery: string;
  readonly number: Int64Column;
  readonly byte_length: Int64Column;
  readonly rows: Int64Column;
  /** Time at which it was finished, by the database's clock; null for parts of earlier versions. */
  readonly finished: Int64Column | null;
};

/** Query builders for the tables. */
export const deliveryTable = (knex: Knex) => knex<DeliveryRow>("cadastre_delivery");
/** Selects deliveries that can still be canceled or failed: a committed delivery can only become complete. */
export const revocable = (knex: Knex) => deliveryTable(knex).whereNull("committed");
export const partTable = (knex: Knex) => knex<PartRow>("cadastre_delivery_part");
export const manifestTable = (knex: Knex) =>
  knex<SealedManifestRecord & { readonly delivery: string; readonly signature_sha256: string | null }>(
    "cadastre_manifest",
  );
export const bytesTable = (knex: Knex) => knex<{ readonly sha256: string }>("cadastre_part_bytes");

/** Returns the columns of a manifest. */
export const manifestRow = ({ text, sha256, signature }: SealedManifestRecord) => ({
  text,
  sha256,
  signature,
  signature_sha256: createHash("sha256").update(signature).digest("hex"),
});

export const toDelivery = (row: DeliveryRow): Delivery => ({
  id: row.id,
  customer: row.customer,
  domain: row.domain,
  kind: row.kind,
  mode: row.mode,
  destination: row.destination,
  subscription: row.subscription,
  generation: Number(row.generation),
  sequence: Number(row.sequence),
  previous: row.previous === null ? null : (JSON.parse(row.previous) as Delivery["previous"]),
  fromCheckpoint: int64ToNumber(row.from_checkpoint),
  toCheckpoint: Number(row.to_checkpoint),
  entitlementVersion: Number(row.entitlement_version),
  scopeSha256: row.scope_sha256,
  pinned: row.pinned,
  created: Number(row.created),
  expires: Number(row.expires),
  state: row.state,
  code: row.code,
  attempts: row.attempts,
  completed: int64ToNumber(row.completed),
  committed: int64ToNumber(row.committed),
  manifestSha256: row.manifest_sha256,
  noChange: Boolean(row.no_change),
});

export async function selectDelivery(
  knex: Knex,
  values: Partial<Pick<DeliveryRow, "id" | "customer">>,
): Promise<Delivery | undefined> {
  const rows: readonly DeliveryRow[] = await deliveryTable(knex).where(values);
  return rows.map(toDelivery)[0];
}

export async function selectParts(
  knex: Knex,
  values: Partial<Pick<PartRow, "delivery" | "number">>,
): Promise<readonly DeliveryPart[]> {
  const rows: readonly PartRow[] = await partTable(knex).where(values).orderBy("ordinal");
  return rows.map(({ ordinal, number, dataset, sha256, byte_length, rows, next, entry }) => ({
    ordinal,
    number: Number(number),
    dataset,
    sha256,
    byteLength: Number(byte_length),
    rows: Number(rows),
    next,
    entry,
  }));
}
