import type { CompiledSql } from "@cadastre/odata";

/** The part of a `pg` connection that speaks the extended query protocol. */
export type Wire = {
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

/** Name of a statement on the server; empty for the unnamed statement. The caller must parse a new one under its name. */
export type Prepared = { readonly name: string; readonly isNew: boolean };

export const unnamed: Prepared = { name: "", isNew: true };

/** Returns the text of a value in database form. */
export const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : `${value as string | number | bigint | boolean}`;

/** Buffers are sent as they are; all other values are sent as text. */
const wireValue = (value: unknown): unknown => (Buffer.isBuffer(value) ? value : textOf(value));

/** Sends what runs a statement. The server runs it at the latest when it gets the `sync` that ends the message. */
export function send(wire: Wire, { text, values }: CompiledSql, { name, isNew }: Prepared): void {
  if (isNew) wire.parse({ name, text, types: [] });
  wire.bind({ portal: "", statement: name, values, binary: false, valueMapper: wireValue });
  wire.execute({ portal: "" });
}

/** Runs `work` and sends all that it writes in one piece. */
export function inOnePiece<T>({ stream }: Wire, work: () => T): T {
  stream.cork?.();
  try {
    return work();
  } finally {
    stream.uncork?.();
  }
}
