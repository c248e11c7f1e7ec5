import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type ApiKeyRecord, isInForce, type KeyRegistry } from "@cadastre/store/registry";
import { digestApiKey, type Peppers } from "../data/pepper.ts";
import { type Freshness, TtlCache } from "../ttl-cache.ts";
import { isWellFormed } from "./key-text.ts";

/** Finds API keys, through a cache. */
export type KeyDirectory = {
  /**
   * Returns the record of a key that is in force at `at`, in milliseconds since 1970. Undefined if the key is malformed, unknown, revoked
   * or expired.
   *
   * @throws {StoreError} `registry_unavailable`
   * @throws {DataError} if the peppers cannot be read
   */
  readonly find: (apiKey: string, at: number, freshness?: Freshness) => Promise<ApiKeyRecord | undefined>;
  /** Returns the record of a key that is not in force at `at` any more. It gives no access. @throws as `find` */
  readonly findEnded: (apiKey: string, at: number) => Promise<ApiKeyRecord | undefined>;
};

export type KeyDirectoryOptions = {
  readonly keys: Pick<KeyRegistry, "find" | "noteUse">;
  /** Returns the current peppers: another process may have added one. */
  readonly peppers: () => Promise<Peppers>;
  /** Called with errors that do not fail the request, such as a last use that could not be noted. */
  readonly onFault: (error: unknown) => void;
  /** Monotonic clock, in milliseconds. */
  readonly clock?: () => number;
  /** See `TtlCache`. */
  readonly revision?: () => number;
};

/** Resolution of the time at which a key was last used, in milliseconds. */
const useGrain = 60_000;

/**
 * Looks keys up in the registry and caches the results, also of unknown keys, for `takesEffectWithin`. Every well-formed key that is
 * refused costs the same: one digest as the cache key and, if it is not cached, one digest for each pepper and one lookup.
 */
export function createKeyDirectory({
  keys,
  peppers,
  onFault,
  clock,
  revision,
}: KeyDirectoryOptions): KeyDirectory {
  const answers = new TtlCache<ApiKeyRecord | undefined>(clock, revision);
  // A random salt per process: cached digests are useless elsewhere, and do not change with the peppers.
  const memory = randomBytes(32).toString("hex");

  async function ask(apiKey: string, at: number): Promise<ApiKeyRecord | undefined> {
    const digests = (await peppers()).map((pepper) => digestApiKey(apiKey, pepper));
    const record = await keys.find(digests.map(({ digest }) => digest));
    const own = digests.find(({ pepper }) => pepper === record?.pepper);
    if (record === undefined || own === undefined || !isSame(record.digest, own.digest)) return undefined;
    const [current] = digests;
    const isNoted = record.pepper === current?.pepper && at - (record.lastUsed ?? 0) < useGrain;
    if (current !== undefined && !isNoted && isInForce(record, at))
      keys.noteUse(record.id, { ...current, at }).catch(onFault);
    return record;
  }

  const known = async (apiKey: string, at: number, freshness?: Freshness) =>
    isWellFormed(apiKey)
      ? answers.get(hash("sha256", memory + apiKey), () => ask(apiKey, at), freshness)
      : undefined;

  return {
    async find(apiKey, at, freshness) {
      const record = await known(apiKey, at, freshness);
      return record !== undefined && isInForce(record, at) ? record : undefined;
    },
    async findEnded(apiKey, at) {
      const record = await known(apiKey, at);
      return record !== undefined && !isInForce(record, at) ? record : undefined;
    },
  };
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
