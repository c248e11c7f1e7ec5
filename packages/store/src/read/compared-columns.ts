import type { StructuralProperty } from "@cadastre/odata/run";
import type { RecordPlan } from "../record/plan.ts";
import type { TableSchema } from "../schema/table.ts";

/**
 * Returns the names of the columns whose values a selection shows as they are, in all records. Such a column is computed from the shown value
 * alone, so two versions in which it differs show different values. Instants come first: one of them changes with nearly every version.
 */
export function comparedColumns(
  { slots }: RecordPlan,
  { key, columns }: Pick<TableSchema, "key" | "columns">,
): readonly string[] {
  const shown = new Set(slots.filter(({ condition }) => condition < 0).map(({ name }) => name));
  const isInstant = ({ type }: StructuralProperty) => type === "Edm.DateTimeOffset";
  return columns
    .filter((column) => shown.has(column.name) && !key.includes(column) && isComparable(column))
    .toSorted((a, b) => Number(isInstant(b)) - Number(isInstant(a)))
    .map(({ name }) => name);
}

/** True if databases compare the values of a column. */
const isComparable = ({ type, collection }: StructuralProperty): boolean =>
  !collection && !type.startsWith("Edm.Geo");
