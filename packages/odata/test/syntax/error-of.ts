import { QueryError } from "../../src/errors.ts";

/** Returns the error that `run` throws. */
export function errorOf(run: () => unknown): QueryError {
  try {
    run();
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
  throw new Error("expected a QueryError");
}
