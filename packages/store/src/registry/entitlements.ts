import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import { deleteEvents } from "./event-rows.ts";
import type { Int64Column } from "./int64-column.ts";
import type { LookUps } from "./look-ups.ts";

/** The signed entitlement currently installed for a customer. */
export type InstalledEntitlement = {
  readonly customer: string;
  /** Its version, the highest that has been installed for the customer. */
  readonly version: number;
  /** The document as a compact JWS. The registry does not verify it. */
  readonly jws: string;
  /** Milliseconds since 1970. */
  readonly installed: number;
};

/** The signed entitlements. Every method throws {@link StoreError} `registry_unavailable`. */
export type EntitlementRegistry = {
  /**
   * Installs an entitlement if its version is higher than the installed one. Returns false if the identical document is already
   * installed.
   *
   * @throws {StoreError} `entitlement_older`, `entitlement_conflict`
   */
  readonly install: (entitlement: InstalledEntitlement) => Promise<boolean>;
  readonly find: (customer: string) => Promise<InstalledEntitlement | undefined>;
  /** All entitlements, ordered by customer. */
  readonly list: () => Promise<readonly InstalledEntitlement[]>;
  /**
   * Removes a customer's entitlement, and the customer's events. The removal takes the next version, so that the removed document cannot be installed again.
   * Returns false if none is installed.
   *
   * @param at milliseconds since 1970
   */
  readonly remove: (customer: string, at: number) => Promise<boolean>;
  /** Returns the highest version of a customer, that of a removal included; 0 if nothing was ever installed. */
  readonly lastVersion: (customer: string) => Promise<number>;
  /**
   * Returns the time at which a customer's entitlement was removed, in milliseconds since 1970; undefined if one is installed, or nothing was
   * ever installed.
   */
  readonly removedAt: (customer: string) => Promise<number | undefined>;
};

/** Creates the entitlement registry of a registry database. */
export function createEntitlementRegistry(knex: Knex, lookUps: Pick<LookUps, "of">): EntitlementRegistry {
  const installed = lookUps.of<CustomerRow>(entitledCustomers(knex).where({ name: "" }));
  const find = async (customer: string) => (await installed([noEntitlement, customer])).map(toEntitlement)[0];
  const lastVersion = async (customer: string) =>
    Number((await customerTable(knex).where({ name: customer }).first("version"))?.version ?? 0);
  return {
    install: async (entitlement) => {
      if (await putEntitlement(knex, entitlement)) return true;
      const version = await lastVersion(entitlement.customer);
      if (version !== entitlement.version) throw new StoreError("entitlement_older", `version ${version}`);
      if ((await find(entitlement.customer))?.jws !== entitlement.jws)
        throw new StoreError("entitlement_conflict");
      return false;
    },
    find,
    list: async () => {
      const rows: readonly CustomerRow[] = await entitledCustomers(knex).orderBy("name");
      return rows.map(toEntitlement);
    },
    remove: (customer, at) =>
      knex.transaction(async (transaction) => {
        const removed = await customerTable(transaction)
          .where({ name: customer })
          .andWhereNot({ entitlement: noEntitlement })
          .update({ entitlement: noEntitlement, version: knex.raw("version + 1"), installed: at });
        if (removed > 0) await deleteEvents(transaction, customer);
        return removed > 0;
      }),
    lastVersion,
    removedAt: async (customer) => {
      const row = await customerTable(knex)
        .where({ name: customer, entitlement: noEntitlement })
        .first("installed");
      return row && Number(row.installed);
    },
  };
}

/** Text in place of an entitlement that was removed. The row stays, because keys and deliveries refer to it. */
export const noEntitlement = "";

type CustomerRow = {
  readonly name: string;
  readonly version: Int64Column;
  readonly entitlement: string;
  readonly installed: Int64Column;
};

/** Query builder for the table of customers. */
export const customerTable = (knex: Knex) => knex<CustomerRow>("cadastre_customer");

/** Selects the customers that have an entitlement. */
const entitledCustomers = (knex: Knex) => customerTable(knex).whereNot({ entitlement: noEntitlement });

const toEntitlement = ({ name, version, entitlement, installed }: CustomerRow): InstalledEntitlement => ({
  customer: name,
  version: Number(version),
  jws: entitlement,
  installed: Number(installed),
});

/** Writes a customer's entitlement unless the same or a higher version is installed. Returns true if it was written. */
async function putEntitlement(
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
