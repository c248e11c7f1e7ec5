import type { StructuralProperty } from "@cadastre/odata";
import type { ComponentChild } from "preact";
import { address, go } from "../address/current-address.ts";
import { type ComparedRow, differs } from "../compare/merged-rows.ts";
import { isNumberField } from "../model/service-model.ts";
import { withTerm } from "../query/filter-terms.ts";
import { conditionOf } from "../query/literals.ts";
import { formatValue, statusClass } from "./format.ts";

export type GridCellProperties = {
  readonly row: ComparedRow;
  readonly column: StructuralProperty;
  readonly columnIndex: number;
  readonly id: string;
  readonly left: number;
  readonly width: number;
  readonly isActive: boolean;
  readonly comparing: boolean;
};

/** Adds the condition that a field has this value. */
export function narrow(column: StructuralProperty, value: unknown): void {
  const single: unknown = Array.isArray(value) ? value[0] : value;
  const term = conditionOf(column, single ?? null);
  if (term !== undefined) go({ filter: withTerm(address.value.filter, term) });
}

const shownValue = ({ first, second }: ComparedRow, name: string): unknown => (first ?? second)?.[name];

function CellText({
  row,
  column,
  comparing,
}: Pick<GridCellProperties, "row" | "column" | "comparing">): ComponentChild {
  const text = formatValue(column, shownValue(row, column.name));
  if (comparing && differs(row, column.name)) {
    const other = formatValue(column, row.second?.[column.name]);
    return (
      <>
        <span class="seen-first">{text || "–"}</span>
        <span class="seen-second">{other || "hidden"}</span>
      </>
    );
  }
  return column.name === "StandardStatus" && text !== "" ? (
    <span class={`status status-${statusClass(text)}`}>{text}</span>
  ) : (
    text
  );
}

/** One cell of the grid, with a button that narrows the query to its value. */
export function GridCell(properties: GridCellProperties) {
  const { row, column, columnIndex, id, left, width, isActive, comparing } = properties;
  const value = shownValue(row, column.name);
  const text = formatValue(column, value);
  const classes = [
    "cell",
    isNumberField(column) ? "cell-number" : "",
    isActive ? "cell-active" : "",
    comparing && differs(row, column.name) ? "cell-differs" : "",
  ];
  const canNarrow = text !== "" && conditionOf(column, Array.isArray(value) ? value[0] : value) !== undefined;
  return (
    <div
      role="gridcell"
      id={id}
      class={classes.join(" ").trim()}
      aria-colindex={columnIndex + 1}
      style={{ left: `${left}px`, width: `${width}px` }}
      title={text}
    >
      <CellText row={row} column={column} comparing={comparing} />
      {canNarrow && (
        <button
          type="button"
          class="cell-narrow"
          tabIndex={-1}
          aria-label={`Only ${column.name} ${text}`}
          title={`Only ${text}`}
          onClick={(event) => {
            event.stopPropagation();
            narrow(column, value);
          }}
        >
          =
        </button>
      )}
    </div>
  );
}
