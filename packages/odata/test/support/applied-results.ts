import {
  type AppliedForm,
  type AppliedQuery,
  appliedMapping,
  appliedRecords,
  compileAppliedPage,
  evaluateApply,
  evaluatedRecords,
} from "../../src/apply/index.ts";
import { jsonRecords } from "../../src/compile/index.ts";
import { compareRows, compileCount, type Mapping, matches, type Row } from "../../src/index.ts";
import type { ApplyEngine } from "./apply-engines.ts";

const plain: AppliedForm = { nulls: true, ieee754: false, annotated: "none" };

type Engine = Pick<ApplyEngine, "dialect" | "run">;

/** Returns the records of a page in memory, and the number of all records. */
export function evaluatedResult(applied: AppliedQuery, rows: readonly Row[], form: AppliedForm = plain) {
  const { apply, query } = applied;
  const found = evaluateApply(apply, rows)
    .filter((row) => matches(query.filter, row))
    .toSorted((a, b) => compareRows(query.orderBy, a, b));
  const page = found.slice(query.skip, query.skip + query.top);
  if (!apply.output.isEntities)
    return { count: found.length, records: evaluatedRecords(page, applied, form) };
  const fields = query.select.map(({ property, expression }) => ({
    path: [property.name],
    property,
    expression,
    isDynamic: false,
  }));
  return { count: found.length, records: evaluatedRecords(page, { ...applied, fields }, plain) };
}

/** Returns the records of a page in a database. */
export async function selectedRecords(
  { dialect, run }: Engine,
  applied: AppliedQuery,
  mapping: Mapping,
  form: AppliedForm = plain,
): Promise<readonly string[]> {
  const { apply, query } = applied;
  const rows = await run(compileAppliedPage(applied, dialect, mapping));
  return apply.output.isEntities
    ? jsonRecords(rows, query, { entitySet: apply.entitySet, mapping, dialect, run })
    : appliedRecords(rows, applied, form);
}

/** Returns the number of all records in a database. */
export async function selectedCount(
  { dialect, run }: Engine,
  { apply, query }: AppliedQuery,
  mapping: Mapping,
): Promise<number> {
  const [counted] = await run(compileCount(query, dialect, appliedMapping(apply, mapping, dialect)));
  return Number(counted?.["count"]);
}
