import type { CompiledSql, RecordForm } from "@cadastre/odata";
import type { ComputedColumn } from "../record/computed.ts";
import type { PlanRef } from "../record/plan.ts";

/** A read, compiled: plain data that goes to another thread as it is. */
export type ReadRequest<Plan = PlanRef> = {
  readonly page?: PageRequest<Plan> | undefined;
  readonly count?: CountRequest | undefined;
  /** For reading as of a checkpoint. */
  readonly asOf?: AsOf | undefined;
  /** Milliseconds from the moment the reader begins. */
  readonly timeout: number;
};

export type AsOf = {
  readonly checkpoint: number;
  /** Gives the earliest checkpoint that can still be read, and whether a version was closed since this one. */
  readonly history: CompiledSql;
};

/** A statement over what is there now. */
export type Versions = {
  readonly current: CompiledSql;
  /** For reading as of a checkpoint: what to run if a version was closed since. */
  readonly merged?: CompiledSql | undefined;
};

export type CountRequest = Versions & {
  /** The statement without its guard, to be used if an index alone answers it: then no row takes long. */
  readonly unguarded?: CompiledSql | undefined;
};

/** Columns: the dataset, the record's text, members and checksum, the key, what is computed. */
export type PageRequest<Plan = PlanRef> = Versions & {
  /**
   * The statement by an index in the query's order, which ends with the page but may pass many rows that do not match:
   * it is tried first, over so many rows as it may visit.
   */
  readonly ordered?: { readonly statement: CompiledSql; readonly visits: number } | undefined;
  /** Statements whose rows follow: one after the other is run, until the page is full. */
  readonly further: readonly Versions[];
  /** Rows of the statements to pass over. */
  readonly skip: number;
  /** Records of a page; the statements give one more, if there is one. */
  readonly top: number;
  /** Whether each record is a line. */
  readonly lines: boolean;
  /** Number of columns of the key. */
  readonly key: number;
  readonly computed: readonly ComputedColumn[];
  readonly plan: Plan;
  /** See `ReadOptions.form`. */
  readonly form?: RecordForm | undefined;
};

/** The statement to run: over closed versions too, where some were closed since the checkpoint that is read. */
export const chosenOf = ({ current, merged }: Versions, isClosed: boolean): CompiledSql =>
  isClosed ? (merged ?? current) : current;

/** All statements that a page may take. */
export function statementsOf(
  { ordered, further, ...versions }: Omit<PageRequest, "plan">,
  isClosed: boolean,
): readonly CompiledSql[] {
  const chosen = chosenOf(versions, isClosed);
  const first = chosen === versions.current ? (ordered?.statement ?? chosen) : chosen;
  return [first, ...further.map((phase) => chosenOf(phase, isClosed))];
}

export type ReadResult = {
  /** Number of the last commit that was seen. */
  readonly checkpoint: number;
  readonly page?: PageResult | undefined;
  readonly count?: number | undefined;
};

export type PageResult = {
  readonly records: Uint8Array;
  /** See `Page.release`. */
  readonly release?: () => void;
  readonly length: number;
  /** Key of the last record in database form. */
  readonly last: readonly unknown[];
  /** Whether there are records after it. */
  readonly more: boolean;
};
