import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import { customerTable } from "./entitlements.ts";

/**
 * Runs `change` in a transaction that holds a lock on a customer, so that such changes of one customer run one after another.
 *
 * @throws {StoreError} `unknown_customer`
 */
export const withCustomerLock = <T>(
  knex: Knex,
  customer: string,
  change: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> =>
  knex.transaction(async (transaction) => {
    // The first statement must be a write. It locks the row in PostgreSQL, and the file in SQLite, which may fail to get the
    // lock after a read.
    const found = await customerTable(transaction).where({ name: customer }).update({ name: customer });
    if (found === 0) throw new StoreError("unknown_customer", customer);
    return change(transaction);
  });
