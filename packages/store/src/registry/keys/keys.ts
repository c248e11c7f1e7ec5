import type { Knex } from "knex";
import { StoreError } from "../../errors.ts";
import { createUlid } from "../../ulid.ts";
import { withCustomerLock } from "../customer-lock.ts";
import { type ApiKeyRecord, isInForce, type KeyRegistry, maxLiveKeys, type NewApiKey } from "./key.ts";
import { insertKey, keyTable, selectByDigest, selectKeys } from "./rows.ts";

/** Creates the key registry of a registry database. */
export function createKeyRegistry(knex: Knex): KeyRegistry {
  return {
    add: (key, at) => withCustomerLock(knex, key.customer, (transaction) => add(transaction, key, at)),
    find: (digests) => selectByDigest(knex, digests),
    list: (customer) => selectKeys(knex, customer === undefined ? {} : { customer }),
    rotate: async (id, key, { at, end }) => {
      const { customer } = await requireKey(knex, id);
      return withCustomerLock(knex, customer, async (transaction) => {
        const before = await requireKey(transaction, id);
        if (!isInForce(before, at)) throw new StoreError("key_not_in_force", id);
        const added = await add(transaction, { ...key, customer }, at);
        const ending = { ...before, expires: Math.min(end, before.expires ?? end) };
        await keyTable(transaction).where({ id }).update({ expires: ending.expires });
        return { added, ending };
      });
    },
    revoke: async (id, at) => {
      await keyTable(knex).where({ id, revoked: null }).update({ revoked: at });
      return requireKey(knex, id);
    },
    noteUse: async (id, { at, digest, pepper }) => {
      await keyTable(knex)
        .where({ id })
        .andWhere("pepper", "<=", pepper)
        .update({ digest, pepper, last_used: at });
    },
  };
}

/** Adds a key. Call it within {@link withCustomerLock}. */
async function add(transaction: Knex.Transaction, key: NewApiKey, at: number): Promise<ApiKeyRecord> {
  const live = (await selectKeys(transaction, { customer: key.customer })).filter((one) =>
    isInForce(one, at),
  );
  if (live.length >= maxLiveKeys)
    throw new StoreError("too_many_keys", live.map(({ id, prefix }) => `${id} (${prefix}…)`).join(", "));
  const added = { ...key, id: createUlid(at), created: at, revoked: null, lastUsed: null };
  await insertKey(transaction, added);
  return added;
}

/** @throws {StoreError} `unknown_key` */
async function requireKey(knex: Knex, id: string): Promise<ApiKeyRecord> {
  const [key] = await selectKeys(knex, { id });
  if (key === undefined) throw new StoreError("unknown_key", id);
  return key;
}
