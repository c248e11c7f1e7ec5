import type { CompiledSql } from "@cadastre/odata";
import type { RecordForm } from "@cadastre/odata/run";
import { StoreError } from "../errors.ts";
import type { ComputedColumn } from "../record/computed.ts";
import type { PlanRef } from "../record/plan.ts";
import type { Moment } from "../store.ts";

/** Compiled read of the changes between two commits. Statements select the columns of a page, see `PageRequest`. */
export type ChangesStatements<Plan = PlanRef> = {
  /** Selects the versions that ended, in the order of their keys. */
  readonly ended: CompiledSql;
  /** Selects those that began. */
  readonly began: CompiledSql;
  /** Maximum number of changes. Each statement selects one row more. */
  readonly top: number;
  readonly computed: readonly ComputedColumn[];
  readonly plan: Plan;
  readonly form?: RecordForm | undefined;
  /** Finds a removed record of which the caller still sees something. {@link anyKey} stands for the key in its values. */
  readonly elsewhere: CompiledSql | undefined;
  readonly since: Moment;
  readonly until: Moment | undefined;
};

/** Stands for a key in the values of a statement. No record has it. */
export const anyKey = "\0";

/** Returns a statement with a key in place of {@link anyKey}. */
export const statementForKey = ({ text, values }: CompiledSql, key: string): CompiledSql => ({
  text,
  values: values.map((one) => (one === anyKey ? key : one)),
});

/** Facts of a database about its commits: the earliest checkpoint that can be read, times of the two commits, and the last commit. */
export type FoundMoments = {
  readonly earliest: number;
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly last: Moment;
};

/**
 * Returns the commit that changes lead to.
 *
 * @throws {StoreError} `bookmark_expired` if the changes cannot be told
 */
export function momentOf(
  { since, until }: Pick<ChangesStatements, "since" | "until">,
  found: FoundMoments,
): Moment {
  const isKnown = ({ checkpoint, time }: Moment, known: number | undefined) =>
    (checkpoint === 0 ? 0 : known) === time;
  if (since.checkpoint < found.earliest) throw new StoreError("bookmark_expired");
  if (!isKnown(since, found.since)) throw new StoreError("bookmark_expired");
  if (until !== undefined && !isKnown(until, found.until)) throw new StoreError("bookmark_expired");
  return until ?? found.last;
}
