import type { Knex } from "@cadastre/store/registry";
import type { DeliveryDocument } from "../delivery.ts";
import type { DeliveryRecords } from "../ledger.ts";

const documentTable = (knex: Knex) =>
  knex<DeliveryDocument & { readonly customer: string }>("cadastre_delivery_document");

/** Returns the function that finds the documents of a customer. */
export const findDocument =
  (knex: Knex): DeliveryRecords["document"] =>
  async (customer, kind, sha256) => {
    const row = await documentTable(knex).where({ customer, kind, sha256 }).first();
    return row && { kind: row.kind, sha256: row.sha256, text: row.text, scope: row.scope };
  };

/** Keeps the documents of a new delivery. Of those that are kept already only the scope is written. */
export async function keepDocuments(
  transaction: Knex.Transaction,
  customer: string,
  documents: readonly DeliveryDocument[],
): Promise<void> {
  for (const document of documents) {
    const { kind, sha256, scope } = document;
    const known = await documentTable(transaction).where({ customer, kind, sha256 }).update({ scope });
    if (known > 0) continue;
    await documentTable(transaction)
      .insert({ customer, ...document })
      .onConflict(["customer", "kind", "sha256"])
      .merge(["scope"]);
  }
}
