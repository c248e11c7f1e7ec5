import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import { customerTable } from "./entitlements/rows.ts";

/**
 * Runs `change` in a transaction that holds the lock of a customer: such changes of one customer run one after the other.
 *
 * @throws {StoreError} `unknown_customer`
 */
export const withCustomerLock = <T>(
  knex: Knex,
  customer: string,
  change: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> =>
  knex.transaction(async (transaction) => {
    // The first statement is a write. It locks the row in PostgreSQL and the file in SQLite, which could not lock it after a read.
    const found = await customerTable(transaction).where({ name: customer }).update({ name: customer });
    if (found === 0) throw new StoreError("unknown_customer", customer);
    return change(transaction);
  });
