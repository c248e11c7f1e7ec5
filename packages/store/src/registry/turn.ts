import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import { customerTable } from "./entitlements/rows.ts";

/**
 * Change what a customer has in one transaction, after every other such change of the customer has ended.
 *
 * @throws {StoreError} `unknown_customer`
 */
export const inTurn = <T>(
  knex: Knex,
  customer: string,
  change: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> =>
  knex.transaction(async (transaction) => {
    // A write comes first: it locks the row in PostgreSQL and the file in SQLite, which could not do so after a read.
    const found = await customerTable(transaction).where({ name: customer }).update({ name: customer });
    if (found === 0) throw new StoreError("unknown_customer", customer);
    return change(transaction);
  });
