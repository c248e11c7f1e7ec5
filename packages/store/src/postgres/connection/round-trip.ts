import type { CompiledSql } from "@cadastre/odata";
import type { Prepared, Statements } from "./statements.ts";

/** A row as text values from the server. */
export type TextRow = readonly (string | null)[];

/** A statement, and callbacks for its rows as they arrive and for its end. */
export type Query = CompiledSql & {
  readonly onRow?: ((fields: TextRow) => void) | undefined;
  readonly onEnd?: (() => void) | undefined;
};

/** The part of a `pg` connection that speaks the extended query protocol. */
type Wire = {
  readonly stream: { readonly cork?: () => void; readonly uncork?: () => void };
  readonly parse: (statement: { name: string; text: string; types: readonly number[] }) => void;
  readonly bind: (portal: {
    portal: string;
    statement: string;
    values: readonly unknown[];
    binary: boolean;
    valueMapper: (value: unknown) => unknown;
  }) => void;
  readonly execute: (portal: { portal: string; rows?: number }) => void;
  readonly close: (what: { type: "S"; name: string }) => void;
  readonly sync: () => void;
};

/** Returns the text of a value in database form. */
export const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : `${value as string | number | bigint | boolean}`;

/** Buffers are sent as they are; all other values are sent as text. */
const wireValue = (value: unknown): unknown => (Buffer.isBuffer(value) ? value : textOf(value));

/**
 * Sends several statements to the server in one message, to be run in one transaction. `client.query(roundTrip)` starts it, and
 * `done` resolves when all have ended. It replaces the query objects of `pg`.
 */
export class RoundTrip {
  readonly done: Promise<void>;
  readonly #queries: readonly Query[];
  readonly #statements: Statements;
  #resolve: () => void = () => {};
  #reject: (error: unknown) => void = () => {};
  /** Index of the statement whose rows are arriving. */
  #at = 0;
  #failure: unknown;

  constructor(queries: readonly Query[], statements: Statements) {
    this.#queries = queries;
    this.#statements = statements;
    this.done = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(wire: Wire): null {
    wire.stream.cork?.();
    try {
      const prepared = this.#queries.map(({ text }) => this.#statements.prepare(text));
      for (const name of this.#statements.takeDropped()) wire.close({ type: "S", name });
      for (const [i, query] of this.#queries.entries()) send(wire, query, prepared[i] as Prepared);
      wire.sync();
    } finally {
      wire.stream.uncork?.();
    }
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

function send(wire: Wire, { text, values }: Query, { name, isNew }: Prepared): void {
  if (isNew) wire.parse({ name, text, types: [] });
  wire.bind({ portal: "", statement: name, values, binary: false, valueMapper: wireValue });
  wire.execute({ portal: "" });
}
