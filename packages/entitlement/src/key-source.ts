import type { KeyObject } from "node:crypto";
import { EntitlementError } from "./errors.ts";
import { isRemote, locationReader } from "./key-location.ts";
import { readKeySet } from "./key-set.ts";

/** Public keys that change while a service runs. */
export type KeySource = {
  /**
   * The key that verifies under a key id now.
   *
   * @throws {EntitlementError} `key_set_stale`
   */
  readonly find: (kid: string) => Promise<KeyObject | undefined>;
  /**
   * Changes with every change of the keys. Take it before verifying a document: while it is the same, so is what
   * was proved.
   *
   * @throws {EntitlementError} `key_set_stale`
   */
  readonly revision: () => number;
  /**
   * Returns the number of keys in force.
   *
   * @throws {EntitlementError} `key_set_stale`
   */
  readonly size: () => number;
  /** Stop reading anew. */
  readonly close: () => void;
};

/** Times in seconds. */
export type KeySourceOptions = {
  /** After how long the set is read again: 5 for a file, 60 for an address. */
  readonly maxAge?: number;
  /** How long the last good set counts while no newer one can be read: 3600. Then nothing verifies. */
  readonly maxStaleness?: number;
  /** Least time between two readings, whoever asks: 5. */
  readonly minInterval?: number;
  /** Longest time of reading an address once: 5. */
  readonly timeout?: number;
  /** Told of every reading that failed, for a log. */
  readonly onFailure?: (error: unknown) => void;
  readonly fetch?: typeof globalThis.fetch;
};

/** What was read last and was a key set. */
type KeySet = {
  /** Undefined before the first reading. */
  readonly text: string | undefined;
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly revision: number;
  /** When its reading began. */
  readonly read: number;
};

/**
 * The key set of a file or an address, read at once and then every `maxAge`; an unknown key id has it read before
 * that, at most every `minInterval`. A key that is gone from the set stops verifying at the next reading.
 *
 * @param location path of a file, or an address: `https`, `http` to this machine, `file`.
 * @throws {EntitlementError} if the first reading fails.
 */
export async function openKeySource(
  location: string | URL,
  options: KeySourceOptions = {},
): Promise<KeySource> {
  const { maxStaleness = 3600, minInterval = 5, timeout = 5, fetch = globalThis.fetch } = options;
  const { maxAge = isRemote(location) ? 60 : 5, onFailure = () => {} } = options;
  const read = locationReader(location, { timeout, fetch });

  let attempted = seconds();
  let good: KeySet = { text: undefined, keys: new Map(), revision: 0, read: attempted };
  let reading: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function load(): Promise<void> {
    attempted = seconds();
    const began = attempted;
    const text = await read();
    good =
      text === good.text
        ? { ...good, read: began }
        : { text, keys: readKeySet(text), revision: good.revision + 1, read: began };
  }

  /** One at a time: who comes while one runs waits for that one. */
  const reload = (): Promise<void> => {
    reading ??= load()
      .then(
        () => schedule(maxAge),
        (error: unknown) => {
          schedule(Math.min(minInterval, maxAge));
          onFailure(error);
        },
      )
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  function schedule(delay: number): void {
    clearTimeout(timer);
    if (!closed) timer = setTimeout(() => void reload(), delay * 1000).unref();
  }

  const current = () => {
    if (!(seconds() - good.read < maxStaleness)) throw new EntitlementError("key_set_stale");
    return good;
  };

  await load();
  schedule(maxAge);
  return {
    async find(kid) {
      if (!current().keys.has(kid) && (reading !== undefined || seconds() - attempted >= minInterval))
        await reload();
      return current().keys.get(kid);
    },
    revision: () => current().revision,
    size: () => current().keys.size,
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

/** Of a clock that nobody sets. */
const seconds = () => performance.now() / 1000;
