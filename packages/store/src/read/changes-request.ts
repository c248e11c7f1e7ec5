import type { CompiledSql } from "@cadastre/odata";
import type { RecordForm } from "@cadastre/odata/run";
import { StoreError } from "../errors.ts";
import type { ComputedColumn } from "../record/computed.ts";
import type { PlanRef } from "../record/plan.ts";
import type { Moment } from "../store.ts";

/** Compiled read of the changes between two commits. */
export type ChangesStatements<Plan = PlanRef> = {
  /**
   * Selects the keys of the versions that ended, in order, each with the checkpoint at which the record's current version began if a column
   * shows that it differs, else null.
   */
  readonly ended: CompiledSql;
  /** Selects the versions that began, with the columns of a page, see `PageRequest`. */
  readonly began: CompiledSql;
  /** Selects versions that ended, with these columns as well. {@link anyKeys} stands for their keys in its values. */
  readonly were: CompiledSql;
  /** Maximum number of changes. Each of the first two statements selects one row more. */
  readonly top: number;
  readonly computed: readonly ComputedColumn[];
  readonly plan: Plan;
  readonly form?: RecordForm | undefined;
  /** Selects the keys of the records of which the caller still sees something, of {@link anyKeys}. */
  readonly elsewhere: CompiledSql | undefined;
  readonly since: Moment;
  readonly until: Moment | undefined;
};

/** Stands for keys in the values of a statement. No query has a text with U+0000. */
export const anyKeys = "\0keys";

/** Returns a statement with keys, as a JSON array, in place of {@link anyKeys}. */
export function statementForKeys({ text, values }: CompiledSql, keys: readonly string[]): CompiledSql {
  const list = JSON.stringify(keys);
  return { text, values: values.map((one) => (one === anyKeys ? list : one)) };
}

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
