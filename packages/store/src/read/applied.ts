import type { RestrictedApply } from "@cadastre/entitlement";
import {
  type BoundQuery,
  type CompiledSql,
  compileCount,
  compilePage,
  identifier,
  type SqlFragment,
  sql,
} from "@cadastre/odata";
import {
  type AppliedForm,
  type AppliedQuery,
  appliedMapping,
  selectedOf,
  valueRecords,
} from "@cadastre/odata/apply";
import type { ValueType } from "@cadastre/odata/run";
import type { ReadValue } from "../record/computed.ts";
import type { AppliedPage, AppliedPageRead } from "../store.ts";
import type { ReadableTable } from "./compile.ts";

/** Compiles a page of the result of `$apply` over current records, with one more row than it has: its values, then those of its order. */
export function compileAppliedRows(
  { applied }: RestrictedApply,
  { mapping: { current }, forms }: ReadableTable,
  from: AppliedPageRead["from"],
): CompiledSql {
  const mapping = appliedMapping(applied.apply, current, forms.dialect);
  const selected = selectedOf(applied);
  // A position lies after what was passed over.
  const start = from === undefined ? selected : { ...selected, after: from, skip: 0 };
  const query: BoundQuery = { ...start, top: start.top + 1 };
  const columns = query.select.map(
    (projection, i): SqlFragment =>
      sql`${forms.computed(query, projection, mapping)} as ${identifier(`value${i}`)}`,
  );
  return compilePage(query, forms.dialect, mapping, { columns, json: true, order: true });
}

/** Compiles the number of rows of the result of `$apply`. */
export const compileAppliedCount = (
  { applied: { apply, query } }: RestrictedApply,
  { mapping: { current }, forms }: ReadableTable,
): CompiledSql => compileCount(query, forms.dialect, appliedMapping(apply, current, forms.dialect));

/** Makes a page of the rows of {@link compileAppliedRows}. @param read decodes a value of the database */
export function toAppliedPage(
  rows: readonly (readonly unknown[])[],
  count: number | undefined,
  applied: AppliedQuery,
  form: AppliedForm,
  read: ReadValue,
): AppliedPage {
  const { select, top, orderBy } = selectedOf(applied);
  const values = rows
    .slice(0, top)
    .map((row) =>
      select.map(({ property: { type, collection } }, i) =>
        read(row[i], (collection ? `Collection(${type})` : type) as ValueType),
      ),
    );
  const last = rows.length > top ? rows[top - 1] : undefined;
  return {
    records: valueRecords(values, applied, form),
    next: last === undefined ? null : orderBy.map((_, i) => positionOf(last[select.length + i])),
    ...(count === undefined ? {} : { count }),
  };
}

/** Returns a value of the order as JSON can hold it. Large integers are texts already. */
const positionOf = (value: unknown): unknown => (typeof value === "bigint" ? Number(value) : (value ?? null));
