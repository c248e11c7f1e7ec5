import type { CompiledSql } from "@cadastre/odata";
import { type TransactionState, withOpening } from "../../database/postgres-transactions.ts";
import { inOnePiece, type Prepared, send, type Wire } from "../../database/postgres-wire.ts";
import type { Statements } from "./statements.ts";

export { textOf } from "../../database/postgres-wire.ts";

/** A row as text values from the server. */
export type TextRow = readonly (string | null)[];

/** A statement, and callbacks for its rows as they arrive and for its end. */
export type Query = CompiledSql & {
  readonly onRow?: ((fields: TextRow) => void) | undefined;
  readonly onEnd?: (() => void) | undefined;
};

/**
 * Sends several statements to the server in one message, to be run in one transaction. `client.query(roundTrip)` starts it, and
 * `done` resolves when all have ended. It replaces the query objects of `pg`.
 */
export class RoundTrip {
  readonly done: Promise<void>;
  #queries: readonly Query[];
  readonly #statements: Statements;
  readonly #state: TransactionState | undefined;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  /** Index of the statement whose rows are arriving. */
  #at = 0;
  #failure: unknown;

  /** @param state state of the connection, whose transactions may need to be opened; undefined for one that no pool has made */
  constructor(queries: readonly Query[], statements: Statements, state: TransactionState | undefined) {
    this.#queries = queries;
    this.#statements = statements;
    this.#state = state;
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(wire: Wire): null {
    this.#queries = withOpening(this.#queries, this.#state);
    inOnePiece(wire, () => {
      const prepared = this.#queries.map(({ text }) => this.#statements.prepare(text));
      for (const name of this.#statements.takeDropped()) wire.close({ type: "S", name });
      for (const [i, query] of this.#queries.entries()) send(wire, query, prepared[i] as Prepared);
      wire.sync();
    });
    return null;
  }

  handleDataRow({ fields }: { readonly fields: TextRow }): void {
    if (this.#failure !== undefined) return;
    try {
      this.#queries[this.#at]?.onRow?.(fields);
    } catch (error) {
      this.#failure = error;
    }
  }

  handleCommandComplete(): void {
    this.#queries[this.#at++]?.onEnd?.();
  }

  handleError(error: unknown): void {
    // It is not known which of the statements the server has parsed, so all of them are prepared again.
    for (const { text } of this.#queries) this.#statements.forget(text);
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#failure === undefined) this.#resolve();
    else this.#reject(this.#failure);
  }
}
