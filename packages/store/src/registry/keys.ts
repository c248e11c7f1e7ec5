import type { Knex } from "knex";
import { StoreError } from "../errors.ts";
import { createUlid } from "../ulid.ts";
import { withCustomerLock } from "./customer-lock.ts";
import { customerTable, noEntitlement } from "./entitlements.ts";
import { type Int64Column, int64ToNumber } from "./int64-column.ts";
import type { LookUp, LookUps } from "./look-ups.ts";

/** Maximum number of live keys of a customer: one in use, and one to change over to. */
const maxLiveKeys = 2;

/** An API key, without its text, which is not stored. Times are in milliseconds since 1970. */
export type ApiKeyRecord = {
  /** ULID, which sorts by the time of creation. */
  readonly id: string;
  readonly customer: string;
  /** The first characters of the key, for its owner to recognize it. */
  readonly prefix: string;
  /** HMAC-SHA256 of the key, in lower-case hexadecimal. */
  readonly digest: string;
  /** Version of the pepper that the digest was computed with. */
  readonly pepper: number;
  readonly created: number;
  readonly expires: number | null;
  readonly revoked: number | null;
  /** Last recorded time of use. Not every use is recorded. */
  readonly lastUsed: number | null;
};

export type NewApiKey = Pick<ApiKeyRecord, "customer" | "prefix" | "digest" | "pepper" | "expires">;

/** True if a key gives access at a time. */
export const isInForce = ({ expires, revoked }: ApiKeyRecord, at: number): boolean =>
  (expires === null || at < expires) && (revoked === null || at < revoked);

/** The API keys. Times are in milliseconds since 1970. Every method throws {@link StoreError} `registry_unavailable`. */
export type KeyRegistry = {
  /** @throws {StoreError} `unknown_customer`, `too_many_keys` */
  readonly add: (key: NewApiKey, at: number) => Promise<ApiKeyRecord>;
  /** Returns the key with one of the digests. */
  readonly find: (digests: readonly string[]) => Promise<ApiKeyRecord | undefined>;
  /** Returns all keys, or those of a customer, ordered by customer and age, oldest first. */
  readonly list: (customer?: string) => Promise<readonly ApiKeyRecord[]>;
  /**
   * Adds a new key, and lets the key `id` expire at `end`, or earlier if it already does. Both happen in one transaction.
   *
   * @throws {StoreError} `unknown_key`, `key_not_in_force`, `too_many_keys`
   */
  readonly rotate: (
    id: string,
    key: Omit<NewApiKey, "customer">,
    times: { readonly at: number; readonly end: number },
  ) => Promise<{ readonly added: ApiKeyRecord; readonly ending: ApiKeyRecord }>;
  /**
   * Revokes a key immediately. A key that is already revoked keeps its time.
   *
   * @throws {StoreError} `unknown_key`
   */
  readonly revoke: (id: string, at: number) => Promise<ApiKeyRecord>;
  /** Records a use of a key. Replaces its digest by one of the same or a later pepper version. */
  readonly noteUse: (
    id: string,
    use: Pick<ApiKeyRecord, "digest" | "pepper"> & { readonly at: number },
  ) => Promise<void>;
};

/** Creates the key registry of a registry database. */
export function createKeyRegistry(knex: Knex, lookUps: Pick<LookUps, "of">): KeyRegistry {
  return {
    add: (key, at) => withCustomerLock(knex, key.customer, (transaction) => add(transaction, key, at)),
    find: findByDigest(knex, lookUps),
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
  const { customer } = key;
  const entitled = await customerTable(transaction)
    .where({ name: customer })
    .andWhereNot({ entitlement: noEntitlement })
    .first("name");
  if (entitled === undefined) throw new StoreError("unknown_customer", customer);
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

type KeyRow = {
  readonly id: string;
  readonly customer: string;
  readonly prefix: string;
  readonly digest: string;
  readonly pepper: number;
  readonly created: Int64Column;
  readonly expires: Int64Column | null;
  readonly revoked: Int64Column | null;
  readonly last_used: Int64Column | null;
};

/** Query builder for the table of keys. */
const keyTable = (knex: Knex) => knex<KeyRow>("cadastre_api_key");

const toRecord = ({ last_used, created, expires, revoked, ...row }: KeyRow): ApiKeyRecord => ({
  ...row,
  created: Number(created),
  expires: int64ToNumber(expires),
  revoked: int64ToNumber(revoked),
  lastUsed: int64ToNumber(last_used),
});

/** Returns the keys that match all given values, ordered by customer and age, oldest first. */
async function selectKeys(
  knex: Knex,
  values: Partial<Pick<KeyRow, "id" | "customer">>,
): Promise<readonly ApiKeyRecord[]> {
  const rows: readonly KeyRow[] = await keyTable(knex).where(values).orderBy(["customer", "id"]);
  return rows.map(toRecord);
}

/** Returns the function that finds a key by one of its digests. There are as many digests as peppers. */
function findByDigest(knex: Knex, lookUps: Pick<LookUps, "of">): KeyRegistry["find"] {
  const byCount = new Map<number, LookUp<KeyRow>>();
  return async (digests) => {
    // For an empty list knex makes another statement, which finds nothing.
    if (digests.length === 0) return undefined;
    const known = byCount.get(digests.length);
    const find = known ?? lookUps.of<KeyRow>(keyTable(knex).whereIn("digest", digests));
    byCount.set(digests.length, find);
    return (await find(digests)).map(toRecord)[0];
  };
}

async function insertKey(knex: Knex, { lastUsed, ...key }: ApiKeyRecord): Promise<void> {
  await keyTable(knex).insert({ ...key, last_used: lastUsed });
}
