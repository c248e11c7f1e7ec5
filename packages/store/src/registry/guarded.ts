import { StoreError } from "../errors.ts";

/** Does work that may be done again if it fails, for it is done as a whole or not at all. */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

type Methods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** The same methods, which throw {@link StoreError} `registry_unavailable` in place of an error of the database. */
export function guarded<Registered extends Methods>(methods: Registered, attempt: Attempt): Registered {
  const guardedMethods = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => attempt(() => method(...args)).catch(giveUp),
  ]);
  return Object.fromEntries(guardedMethods) as Registered;
}

/** Its code alone is told: its message may quote what was asked for. */
export function giveUp(error: unknown): never {
  if (!(error instanceof Error) || error instanceof StoreError) throw error;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  throw new StoreError("registry_unavailable", code, { cause: error });
}
