import type { Knex } from "knex";
import type { Int64Column } from "../int64-column.ts";
import type { InstalledEntitlement } from "./entitlement.ts";

type CustomerRow = {
  readonly name: string;
  readonly version: Int64Column;
  readonly entitlement: string;
  readonly installed: Int64Column;
};

/** Query builder for the table of customers. */
export const customerTable = (knex: Knex) => knex<CustomerRow>("cadastre_customer");

/** Returns the entitlements that match all given values, ordered by customer. */
export async function selectEntitlements(
  knex: Knex,
  values: Partial<Pick<CustomerRow, "name">>,
): Promise<readonly InstalledEntitlement[]> {
  const rows: readonly CustomerRow[] = await customerTable(knex).where(values).orderBy("name");
  return rows.map(({ name, version, entitlement, installed }) => ({
    customer: name,
    version: Number(version),
    jws: entitlement,
    installed: Number(installed),
  }));
}

/** Writes a customer's entitlement unless the same or a higher version is installed. Returns true if it was written. */
export async function putEntitlement(
  knex: Knex,
  { customer, version, jws, installed }: InstalledEntitlement,
): Promise<boolean> {
  const written: readonly unknown[] = await customerTable(knex)
    .insert({ name: customer, version, entitlement: jws, installed })
    .onConflict("name")
    .merge()
    .where("cadastre_customer.version", "<", version)
    .returning("name");
  return written.length > 0;
}
