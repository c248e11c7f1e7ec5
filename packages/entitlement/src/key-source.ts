import type { KeyObject } from "node:crypto";
import { EntitlementError } from "./errors.ts";
import { isRemote, type KeyLocation, locationReader } from "./key-location.ts";
import { readIssuerKeys } from "./key-set.ts";

/** A set of public keys that may change while a service runs. */
export type KeySource = {
  /**
   * Returns the key with this id that is in force now.
   *
   * @throws {EntitlementError} `key_set_stale`
   */
  readonly find: (kid: string) => Promise<KeyObject | undefined>;
  /**
   * Returns a number that changes with every change of the keys. Read it before you verify a document: the result of the verification holds
   * while the number stays the same.
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
  /** Stops reading the set again. */
  readonly close: () => void;
};

/** Options of a key source. Times are in seconds. */
export type KeySourceOptions = {
  /** Age at which the set is read again. By default 5 for a file or a function, 60 for an address. */
  readonly maxAge?: number;
  /** Time for which the last valid set is used if no newer one can be read. Afterwards nothing verifies. By default 3600. */
  readonly maxStaleness?: number;
  /** Shortest time between two readings, however many are requested. By default 5. */
  readonly minInterval?: number;
  /** Time limit for reading an address. By default 5. */
  readonly timeout?: number;
  /** Called for every reading that failed, for the log. */
  readonly onFailure?: (error: unknown) => void;
  readonly fetch?: typeof globalThis.fetch;
};

/** The last valid key set that was read. */
type KeySet = {
  /** Undefined before the first reading. */
  readonly text: string | undefined;
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly revision: number;
  /** Time at which its reading began. */
  readonly read: number;
};

/**
 * Opens the key set of a file or an address. It is read at once, then every `maxAge`, and earlier for an unknown key id, but at most every
 * `minInterval`. A key that was removed from the set is no longer accepted after the next reading.
 *
 * @param location path of a file, an address (`https`, `http` to this machine, `file`), or a function that reads the set
 * @throws {EntitlementError} if the first reading fails
 */
export async function openKeySource(
  location: KeyLocation,
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
        : { text, keys: readIssuerKeys(text), revision: good.revision + 1, read: began };
  }

  /** Reads the set again. Concurrent callers share one reading. */
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

/** Seconds of a monotonic clock. */
const seconds = () => performance.now() / 1000;
