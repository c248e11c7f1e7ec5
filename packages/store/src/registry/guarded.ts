import { StoreError } from "../errors.ts";

/** Runs work, and may run it again if it fails. The work must therefore be atomic. */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Wraps methods to throw {@link StoreError} `registry_unavailable` instead of database errors. */
export function guarded<Registered extends Methods>(methods: Registered, attempt: Attempt): Registered {
  const guardedMethods = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => attempt(() => method(...args)).catch(giveUp),
  ]);
  return Object.fromEntries(guardedMethods) as Registered;
}

/**
 * Throws an error that contains only the code of a database error, because its message may quote the values of the request.
 */
export function giveUp(error: unknown): never {
  if (!(error instanceof Error) || error instanceof StoreError) throw error;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  throw new StoreError("registry_unavailable", code, { cause: error });
}
