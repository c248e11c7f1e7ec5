import type { RestrictedQuery } from "@cadastre/entitlement";
import type { BoundNode, BoundQuery, CompiledSql, StructuralProperty } from "@cadastre/odata";
import type { RecordForm } from "@cadastre/odata/run";
import { allOf, equals, propertyNode, textConstant } from "@cadastre/odata/tree";
import { StoreError } from "../errors.ts";
import type { ComputedColumn } from "../record/computed.ts";
import { type PlanRef, type Plans, valueTypeOf } from "../record/plan.ts";
import type { ChangesRead, Moment } from "../store.ts";
import type { ReadableTable } from "./compile.ts";
import { changedConditions } from "./versions.ts";

/** Compiled read of the changes between two commits. Statements select the columns of a page, see `PageRequest`. */
export type ChangesRequest<Plan = PlanRef> = {
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
const anyKey = "\0";

/** Returns a statement with a key in place of {@link anyKey}. */
export const withKey = ({ text, values }: CompiledSql, key: string): CompiledSql => ({
  text,
  values: values.map((one) => (one === anyKey ? key : one)),
});

/** @param few see `HistoricalState` */
export function compileChanges(
  query: RestrictedQuery,
  readable: ReadableTable,
  plans: Plans,
  { nulls = true, form, elsewhere, since, until }: ChangesRead,
  few: boolean,
): ChangesRequest {
  const planned = plans.of(query.select, readable.members, nulls);
  const last = until?.checkpoint ?? Number.MAX_SAFE_INTEGER;
  const versions = (state: Parameters<typeof changedConditions>[0]): BoundQuery => ({
    ...query,
    top: query.top + 1,
    filter: allOf(...changedConditions(state), query.filter),
  });
  const wereThen = versions({
    checkpoint: since.checkpoint,
    changes: { kind: "ended", until: last, few },
  });
  const areNow = versions({
    checkpoint: last,
    changes: { kind: "began", since: since.checkpoint, few },
  });
  const { changed, compilers, accessTo, table } = readable;
  const [key] = table.key;
  const one = elsewhere && key && { ...elsewhere, filter: allOf(isKey(key), elsewhere.filter), top: 1 };
  return {
    ended: changed.page(wereThen, planned, "closed", few),
    began: changed.page(areNow, planned, until === undefined ? "current" : "both", few),
    top: query.top,
    computed: planned.computed.map(({ property }) => ({ name: property.name, type: valueTypeOf(property) })),
    plan: { id: planned.id, plan: planned.plan },
    form,
    elsewhere: one && compilers.plain.page(one, accessTo(one)),
    since,
    until,
  };
}

const isKey = (key: StructuralProperty): BoundNode => equals(propertyNode(key), textConstant(anyKey));

/** What a database tells of commits: the earliest checkpoint that can be read, times of the two commits, and the last commit. */
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
  { since, until }: Pick<ChangesRequest, "since" | "until">,
  found: FoundMoments,
): Moment {
  const isKnown = ({ checkpoint, time }: Moment, known: number | undefined) =>
    (checkpoint === 0 ? 0 : known) === time;
  if (since.checkpoint < found.earliest) throw new StoreError("bookmark_expired");
  if (!isKnown(since, found.since)) throw new StoreError("bookmark_expired");
  if (until !== undefined && !isKnown(until, found.until)) throw new StoreError("bookmark_expired");
  return until ?? found.last;
}
