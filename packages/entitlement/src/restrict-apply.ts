import { type BoundNode, QueryError } from "@cadastre/odata";
import {
  type AppliedQuery,
  type ApplyStep,
  type BoundAggregate,
  restrictApplied,
} from "@cadastre/odata/apply";
import { constant } from "@cadastre/odata/tree";
import { type RestrictedQuery, restrict, visibleNodeOf } from "./restrict.ts";
import { resourceOf, type Scope } from "./scope.ts";

/** A brand without a value: only {@link restrictApply} creates a {@link RestrictedApply}. */
declare class Restricted {
  private readonly restricted: true;
}

/** An `$apply` that {@link restrictApply} has restricted. Stores accept no other one. */
export type RestrictedApply = {
  readonly applied: AppliedQuery;
  /** All entities that are aggregated, as the scope shows them. */
  readonly entities: RestrictedQuery;
} & Restricted;

/**
 * Restricts `$apply` to what `scope` grants: rows are narrowed before all transformations, and every expression over them reads what each
 * dataset shows. Groups are of at least `least` entities, see `CellRule` of `@cadastre/odata/apply`. So that no aggregate is about fewer:
 *
 * - the result is of groups: rows that are still entities are refused;
 * - entities are grouped before they are limited, as `top` and `topcount` do;
 * - an aggregate is a count, or the `sum`, `average` or `countdistinct` of a field. An expression could be zero for all entities but one, and
 *   `min` and `max` are the value of one.
 *
 * @throws {QueryError} `not_supported` for what is refused
 * @throws {TypeError} if it names a property that the scope hides: it was not bound to the entity set that `visibleEntitySet` returns
 */
export function restrictApply(applied: AppliedQuery, scope: Scope, least: number): RestrictedApply {
  const { entitySet, steps, output } = applied.apply;
  if (output.isEntities) throw notSupported("`$apply` without `groupby` or `aggregate`");
  refuseSteps(steps);
  const resource = resourceOf(entitySet, scope);
  const restricted = {
    applied: restrictApplied(applied, { rows: resource.rows, rewrite: visibleNodeOf(resource), least }),
    entities: restrict(
      { entitySet, filter: constant(true), orderBy: [], select: [], top: 0, skip: 0, after: null },
      scope,
    ),
  };
  return restricted as unknown as RestrictedApply;
}

const notSupported = (feature: string) => new QueryError("not_supported", null, { feature }, "$apply");

/** Checks the steps over entities. */
function refuseSteps(steps: readonly ApplyStep[]): void {
  for (const step of steps) {
    switch (step.kind) {
      case "Filter":
        break;
      case "Limit":
        throw notSupported("`top`, `skip`, `topcount` or `bottomcount` before `groupby` or `aggregate`");
      case "Group":
        step.aggregates.forEach(refuseAggregate);
        return;
      case "Concat":
        for (const branch of step.branches) {
          if (branch.steps.every(({ kind }) => kind === "Filter" || kind === "Limit"))
            throw notSupported("a parameter of `concat` without `groupby` or `aggregate`");
          refuseSteps(branch.steps);
        }
        return;
    }
  }
}

function refuseAggregate({ method, operand }: BoundAggregate): void {
  if (method === "min" || method === "max")
    throw notSupported(`\`${method}\`, which is the value of one record,`);
  if (operand !== null && !isField(operand)) throw notSupported("an aggregate of anything but a field");
}

const isField = (node: BoundNode): boolean => node.kind === "Property" && node.base === undefined;
