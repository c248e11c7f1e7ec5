import type { StructuralProperty } from "@cadastre/odata";
import { address, go } from "../address/current-address.ts";
import { isNumberField, titleOf } from "../model/service-model.ts";
import { secondSet } from "../query/current-query.ts";
import { secondKey } from "../session/api-keys.ts";
import type { ColumnLayout } from "./column-layout.ts";

export type SortOrder = "ascending" | "descending" | "none";

/** Returns the order that `$orderby` states first. */
function sortOrderOf(orderBy: string, name: string): SortOrder {
  const [property, direction] = (orderBy.split(",")[0] ?? "").trim().split(/\s+/);
  if (property !== name) return "none";
  return direction === "desc" ? "descending" : "ascending";
}

const nextOrder: Readonly<Record<SortOrder, (name: string) => string>> = {
  none: (name) => name,
  ascending: (name) => `${name} desc`,
  descending: () => "",
};

const marks: Readonly<Record<SortOrder, string>> = { none: "", ascending: "↑", descending: "↓" };

/** Sorts by a column: ascending, then descending, then in the order of the service. */
function sortBy(name: string): void {
  go({ orderBy: nextOrder[sortOrderOf(address.value.orderBy, name)](name) });
}

type HeaderProperties = {
  readonly columns: readonly StructuralProperty[];
  readonly layout: ColumnLayout;
  readonly range: readonly [number, number];
};

/** Head of the grid: titles that sort. */
export function GridHeader({ columns, layout, range: [from, to] }: HeaderProperties) {
  const second = secondKey.value;
  const { orderBy } = address.value;
  return (
    <div role="row" class="grid-head" aria-rowindex={1} style={{ width: `${layout.total}px` }}>
      {columns.slice(from, to).map((column, offset) => {
        const index = from + offset;
        const order = sortOrderOf(orderBy, column.name);
        const isHidden = second !== undefined && secondSet.value?.type.properties.has(column.name) === false;
        return (
          <div
            key={column.name}
            role="columnheader"
            class={`grid-title ${isNumberField(column) ? "grid-title-number" : ""}`}
            aria-colindex={index + 1}
            aria-sort={order}
            style={{ left: `${layout.left[index]}px`, width: `${layout.widths[index]}px` }}
          >
            <button
              type="button"
              disabled={column.collection}
              title={`${column.name}${column.collection ? "" : ": sort"}`}
              onClick={() => sortBy(column.name)}
            >
              <span>{titleOf(column)}</span>
              <span class="sort-mark">{marks[order]}</span>
            </button>
            {isHidden && (
              <span class="hidden-mark" title={`${second.name} does not see this field`}>
                hidden
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}
