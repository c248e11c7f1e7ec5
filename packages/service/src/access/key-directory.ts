import { hash, randomBytes, timingSafeEqual } from "node:crypto";
import { type ApiKeyRecord, isInForce, type KeyRegistry } from "@cadastre/store/registry";
import { isWellFormed } from "./key-text.ts";
import { digestApiKey, type Peppers } from "./pepper.ts";
import { type Freshness, RecentAnswers } from "./recent-answers.ts";

/** The keys that are known. */
export type KeyDirectory = {
  /**
   * The record of a key that is in force at `at` (milliseconds since 1970); undefined whatever else is wrong.
   *
   * @throws {StoreError} `registry_unavailable`
   * @throws {DataError} if the peppers cannot be read
   */
  readonly find: (apiKey: string, at: number, freshness?: Freshness) => Promise<ApiKeyRecord | undefined>;
};

export type KeyDirectoryOptions = {
  readonly keys: Pick<KeyRegistry, "find" | "noteUse">;
  /** The peppers as they are now: another process may have added one. */
  readonly peppers: () => Promise<Peppers>;
  /** Takes what went wrong where a request need not fail for it. */
  readonly onFault: (error: unknown) => void;
  /** Of a clock that is never set back, in milliseconds. */
  readonly clock?: () => number;
};

/** How exactly it is known when a key was last used, in milliseconds. */
const useGrain = 60_000;

/**
 * Looks keys up in the registry, and remembers for `takesEffectWithin` what it has found, or has not. Every well-formed key
 * that is refused costs the same: one digest to remember it by; then, if it is not remembered, one for each pepper and
 * one look-up.
 */
export function createKeyDirectory({ keys, peppers, onFault, clock }: KeyDirectoryOptions): KeyDirectory {
  const answers = new RecentAnswers<ApiKeyRecord | undefined>(clock);
  // What is remembered is no use to another process, and outlives a change of the peppers.
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

  return {
    async find(apiKey, at, freshness) {
      if (!isWellFormed(apiKey)) return undefined;
      const record = await answers.get(hash("sha256", memory + apiKey), () => ask(apiKey, at), freshness);
      return record !== undefined && isInForce(record, at) ? record : undefined;
    },
  };
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
