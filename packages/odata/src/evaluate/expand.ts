import type { BoundExpand } from "../bound/expand.ts";
import type { BoundQuery, Projection } from "../bound/tree.ts";
import { entityAddress, referenceName } from "../json/record-form.ts";
import { valueText } from "../json/value-text.ts";
import { codecOf } from "../model/values.ts";
import { compareRows, evaluate, matches, type Row } from "./evaluate.ts";
import { nestComplexValues } from "./nest.ts";

/** Returns the selected properties of a row as JSON, with the related rows that `expand` asks for. */
export function expandRow(row: Row, select: readonly Projection[], expand: readonly BoundExpand[]): Row {
  const selected = select.map(({ property: { name, type, collection }, expression }) => {
    const value = evaluate(expression, row);
    if (expression.kind === "Structure") return [name, value !== null] as const;
    const toJson = (one: unknown) => (one === null ? null : codecOf(type).toJson(one));
    return [name, collection ? (value as readonly unknown[]).map(toJson) : toJson(value)] as const;
  });
  const added = expand.flatMap((item) => Object.entries(expandItem(row, item)));
  return { ...nestComplexValues(Object.fromEntries<unknown>(selected)), ...Object.fromEntries(added) };
}

function expandItem(row: Row, { navigation, query, count, referenceTo, expand }: BoundExpand): Row {
  const { name, collection } = navigation;
  const related = (row[name] ?? null) as Row | readonly Row[] | null;
  const expanded = (one: Row): Row =>
    referenceTo === null ? expandRow(one, query.select, expand) : referenceOf(one, query, referenceTo);
  if (!collection) return { [name]: related === null ? null : expanded(related as Row) };
  const matching = ((related ?? []) as readonly Row[]).filter((one) => matches(query.filter, one));
  const counted = count === "no" ? {} : { [`${name}@odata.count`]: matching.length };
  if (count === "only") return counted;
  const page = matching
    .toSorted((a, b) => compareRows(query.orderBy, a, b))
    .slice(query.skip, query.skip + query.top);
  return { ...counted, [name]: page.map(expanded) };
}

/** Returns the reference in place of an entity. @param query selects the properties of its key */
export function referenceOf(row: Row, { select, entitySet }: BoundQuery, referenceTo: string): Row {
  const key = select.map(({ property, expression }) => valueText(evaluate(expression, row), property.type));
  return { [referenceName]: entityAddress(referenceTo, entitySet.type, key) };
}
