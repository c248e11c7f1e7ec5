import type { Retry } from "../database/retry-while-busy.ts";
import { StoreError } from "../errors.ts";

/** Methods on tables of a registry. */
export type TableMethods = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

/** Class of the errors by which methods refuse a request. */
export type RefusalClass = abstract new (...args: never[]) => Error;

/**
 * Returns the same methods. In place of an error of the database they throw {@link StoreError} `registry_unavailable`. A `StoreError` or
 * `Refusal` is thrown unchanged.
 */
export function guarded<Methods extends TableMethods>(
  methods: Methods,
  attempt: Retry,
  Refusal: RefusalClass = StoreError,
): Methods {
  const fail = (error: unknown): never => {
    if (error instanceof Refusal) throw error;
    return giveUp(error);
  };
  const guardedMethods = Object.entries(methods).map(([name, method]) => [
    name,
    (...args: never[]) => attempt(() => method(...args)).catch(fail),
  ]);
  return Object.fromEntries(guardedMethods) as Methods;
}

/** An error of a function that the caller gave. */
class CallbackError extends Error {
  override readonly name = "CallbackError";
}

/** Calls a function that the caller gave. Its errors pass {@link giveUp} unchanged. */
export async function called<Result>(callback: () => Promise<Result>): Promise<Result> {
  try {
    return await callback();
  } catch (cause) {
    throw new CallbackError("a function of the caller failed", { cause });
  }
}

/**
 * Throws `registry_unavailable` with the code of the error alone, because its message may quote the request. A `StoreError`, and an error of
 * a function that the caller gave, is thrown unchanged.
 */
export function giveUp(error: unknown): never {
  if (error instanceof CallbackError) throw error.cause;
  if (!(error instanceof Error) || error instanceof StoreError) throw error;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  throw new StoreError("registry_unavailable", code, { cause: error });
}
