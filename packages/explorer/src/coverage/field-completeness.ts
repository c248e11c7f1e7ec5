import { signal } from "@preact/signals";
import { isRecord, type JsonObject, memberText } from "../api/json.ts";
import { requestJson } from "../api/request.ts";
import { loaded } from "../query/loaded.ts";
import { firstKey } from "../session/api-keys.ts";

/** How many listings of a market have a value of a field. */
export type CoverageCell = {
  readonly system: string;
  readonly field: string;
  readonly total: number;
  readonly populated: number;
  /** Share of listings with a value, 0 to 1. Null where there are too few. */
  readonly ratio: number | null;
};

/** Coverage of one shownGeography. */
export type FieldCompleteness = {
  readonly systems: readonly string[];
  /** Cells by field, then by system. */
  readonly byField: ReadonlyMap<string, ReadonlyMap<string, CoverageCell>>;
  readonly minimum: number;
  readonly ddVersion: string;
};

/** Geography that is shown: `national:US`, `state:TX`, `zip:78701` or `county:TX/Travis`. */
export const shownGeography = signal("national:US");

const cellOf = (cell: JsonObject): CoverageCell => ({
  system: String(cell["originating_system_name"]),
  field: String(cell["wire_field"]),
  total: Number(cell["total_count"]),
  populated: Number(cell["populated_count"]),
  ratio: cell["suppressed"] === true ? null : Number(cell["populated_ratio"]),
});

/** Adds up cells of one system and field that come from several sources. */
function sumOf(a: CoverageCell | undefined, b: CoverageCell): CoverageCell {
  if (a === undefined || a.ratio === null) return b;
  if (b.ratio === null) return a;
  const [total, populated] = [a.total + b.total, a.populated + b.populated];
  return { ...b, total, populated, ratio: total === 0 ? 0 : populated / total };
}

/** Reads the answer of `/v1/field-completeness`. */
export function readCompleteness(body: unknown): FieldCompleteness {
  const data = isRecord(body) && isRecord(body["data"]) ? body["data"] : {};
  const cells = Array.isArray(data["cells"]) ? data["cells"].filter(isRecord).map(cellOf) : [];
  const byField = new Map<string, Map<string, CoverageCell>>();
  for (const cell of cells) {
    const row = byField.get(cell.field) ?? new Map<string, CoverageCell>();
    row.set(cell.system, sumOf(row.get(cell.system), cell));
    byField.set(cell.field, row);
  }
  return {
    systems: [...new Set(cells.map(({ system }) => system))],
    byField,
    minimum: Number(data["minimum_cell_size"] ?? 0),
    ddVersion: memberText(data, "reso_dd_version"),
  };
}

/** Coverage of the shownGeography, of what the first key sees. */
export const shownCompleteness = loaded((abort) => {
  const apiKey = firstKey.value?.apiKey;
  if (apiKey === undefined) return undefined;
  const path = `v1/field-completeness?geography=${encodeURIComponent(shownGeography.value)}`;
  return requestJson({ path, apiKey, signal: abort }).then(readCompleteness);
});
