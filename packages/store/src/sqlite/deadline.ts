import { identifier, type SqlFragment, sql } from "@cadastre/odata/run";
import type { FunctionHost } from "@cadastre/odata/sqlite";
import type { Database } from "better-sqlite3";
import { StoreError } from "../errors.ts";

const [tick, visit] = ["cadastre_tick", "cadastre_visit"];

/**
 * A condition that is true of every row, and at every 256th or so looks whether the query may go on: the driver has
 * no other way to stop one.
 */
export const ticking: SqlFragment = sql`((rowid & 255) <> 0 or ${identifier(tick)}())`;

/** A condition that is true of every row until the query has looked at as many as it may. */
export const visiting: SqlFragment = sql`${identifier(visit)}()`;

/** The query has looked at as many rows as it may. */
export class TooManyVisits extends Error {
  override readonly name = "TooManyVisits";
}

/** Ends the query of its connection, at a time or when another thread says so. */
export class Deadline {
  readonly #canceled: Int32Array;
  #end = Number.POSITIVE_INFINITY;
  #visits = 0;

  /** @param canceled shared with who may cancel: anything but 0 ends the query at hand */
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

  /** @param end by `performance.now()` of this thread */
  start(end: number): void {
    this.#end = end;
    this.#check();
  }

  /** How many rows the next statement may look at, if it counts them. */
  allow(visits: number): void {
    this.#visits = visits;
  }

  /** A database to register functions with. Queries that call them can be stopped between two calls. */
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
