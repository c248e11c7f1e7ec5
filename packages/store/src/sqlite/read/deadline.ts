import { identifier, type SqlFragment, sql } from "@cadastre/odata/run";
import type { FunctionHost } from "@cadastre/odata/sqlite";
import type { Database } from "better-sqlite3";
import { StoreError } from "../../errors.ts";

const [tick, visit] = ["cadastre_tick", "cadastre_visit"];

/**
 * A condition that is true for every row. About every 256th row it checks the deadline, and throws if the query must stop: the
 * driver has no other way to stop a query.
 */
export const deadlineGuard: SqlFragment = sql`((rowid & 255) <> 0 or ${identifier(tick)}())`;

/** A condition that is true for every row, and throws once the query has visited its maximum number of rows. */
export const visitGuard: SqlFragment = sql`${identifier(visit)}()`;

/** Thrown when a query has visited its maximum number of rows. */
export class TooManyVisits extends Error {
  override readonly name = "TooManyVisits";
}

/** Stops the query of a connection at a deadline, or when another thread cancels it. */
export class Deadline {
  readonly #canceled: Int32Array;
  #end = Number.POSITIVE_INFINITY;
  #visits = 0;

  /** @param canceled memory shared with the thread that may cancel: any value but 0 stops the current query */
  constructor(database: Database, canceled: Int32Array) {
    this.#canceled = canceled;
    database.function(tick, { deterministic: false }, () => {
      this.#check();
      return 1;
    });
    database.function(visit, { deterministic: false }, () => {
      this.#visits--;
      if (this.#visits < 0) throw new TooManyVisits();
      return 1;
    });
  }

  /**
   * Runs a query. Only it has the deadline: a connection that also writes calls the same functions for its indexes.
   *
   * @param timeout in milliseconds from now
   * @throws {StoreError} `query_timeout`, `query_canceled`
   */
  during<T>(timeout: number, query: () => T): T {
    this.#end = performance.now() + timeout;
    try {
      this.#check();
      return query();
    } finally {
      this.#end = Number.POSITIVE_INFINITY;
    }
  }

  /** Sets the maximum number of rows that the next statement may visit, if it has the condition {@link visitGuard}. */
  allow(visits: number): void {
    this.#visits = visits;
  }

  /** Wraps a database for registering functions. Queries that call the functions can be stopped between two calls. */
  hostOf(database: FunctionHost): FunctionHost {
    let calls = 0;
    return {
      function: (name, options, body) =>
        database.function(name, options, (...args) => {
          if ((++calls & 15) === 0) this.#check();
          return body(...args);
        }),
    };
  }

  #check(): void {
    if (Atomics.load(this.#canceled, 0) !== 0) throw new StoreError("query_canceled");
    if (performance.now() > this.#end) throw new StoreError("query_timeout");
  }
}
