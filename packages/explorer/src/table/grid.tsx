import type { StructuralProperty } from "@cadastre/odata";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ComparedRow } from "../compare/merged-rows.ts";
import { titleOf } from "../model/service-model.ts";
import { layoutOf, visibleColumns, widthOf } from "./column-layout.ts";
import { GridCell, narrow } from "./grid-cell.tsx";
import { GridHeader } from "./grid-header.tsx";

const rowHeight = 36;
const headHeight = 38;
/** Rows drawn above and below those in sight, so that scrolling shows no gap. */
const spareRows = 6;

export type GridProperties = {
  readonly label: string;
  readonly rows: readonly ComparedRow[];
  readonly columns: readonly StructuralProperty[];
  /** Number of all rows, also of those that are not there yet. */
  readonly count: number;
  readonly comparing: boolean;
  readonly isLoading: boolean;
  readonly openKey: string;
  readonly onOpen: (key: string) => void;
  readonly onEnd: () => void;
};

const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [15, 0],
  PageUp: [-15, 0],
};

const clamp = (value: number, most: number) => Math.max(0, Math.min(value, most));

/** Table that draws only the cells in sight, in both directions. */
export function Grid(properties: GridProperties) {
  const { label, rows, columns, count, comparing, isLoading, openKey, onOpen, onEnd } = properties;
  const scroller = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, left: 0, width: 1200, height: 800 });
  const active = useSignal<readonly [row: number, column: number]>([0, 0]);
  const layout = useMemo(
    () => layoutOf(columns.map((column) => widthOf(column, titleOf(column)))),
    [columns],
  );

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const read = () => {
      view.value = {
        top: element.scrollTop,
        left: element.scrollLeft,
        width: element.clientWidth,
        height: element.clientHeight,
      };
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, [view]);

  const { top, left, width, height } = view.value;
  const firstRow = clamp(Math.floor(top / rowHeight) - spareRows, Math.max(rows.length - 1, 0));
  const afterRow = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + spareRows);
  const range = visibleColumns(layout, left, left + width);
  const [activeRow, activeColumn] = active.value;
  const isActiveDrawn =
    activeRow >= firstRow && activeRow < afterRow && activeColumn >= range[0] && activeColumn < range[1];

  useEffect(() => {
    if (afterRow >= rows.length - 20 && rows.length > 0 && !isLoading) onEnd();
  }, [afterRow, rows.length, isLoading, onEnd]);

  const move = (row: number, column: number) => {
    const element = scroller.current;
    active.value = [clamp(row, rows.length - 1), clamp(column, columns.length - 1)];
    const [toRow, toColumn] = active.value;
    if (element === null) return;
    const y = toRow * rowHeight;
    if (y < element.scrollTop) element.scrollTop = y;
    const bottom = y + rowHeight + headHeight - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
    const x = layout.left[toColumn] ?? 0;
    if (x < element.scrollLeft) element.scrollLeft = x;
    const right = x + (layout.widths[toColumn] ?? 0) - element.clientWidth;
    if (right > element.scrollLeft) element.scrollLeft = Math.min(right, x);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.metaKey || event.altKey) return;
    const step = moves[event.key];
    const row = rows[activeRow];
    const column = columns[activeColumn];
    if (step !== undefined) move(activeRow + step[0], activeColumn + step[1]);
    else if (event.key === "Home") move(event.ctrlKey ? 0 : activeRow, 0);
    else if (event.key === "End") move(event.ctrlKey ? rows.length - 1 : activeRow, columns.length - 1);
    else if (event.key === "Enter" && row !== undefined) onOpen(row.key);
    else if (event.key === "=" && row !== undefined && column !== undefined)
      narrow(column, (row.first ?? row.second)?.[column.name]);
    else return;
    event.preventDefault();
  };

  return (
    <div
      role="grid"
      class="grid"
      ref={scroller}
      tabIndex={0}
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-busy={isLoading}
      aria-activedescendant={isActiveDrawn ? `cell-${activeRow}-${activeColumn}` : undefined}
      onKeyDown={onKeyDown}
    >
      <GridHeader columns={columns} layout={layout} range={range} />
      <div
        role="rowgroup"
        class="grid-body"
        style={{ height: `${rows.length * rowHeight}px`, width: `${layout.total}px` }}
      >
        {rows.slice(firstRow, afterRow).map((row, offset) => {
          const index = firstRow + offset;
          return (
            <div
              key={row.key}
              role="row"
              class={`grid-row row-${row.seenBy} ${row.key === openKey ? "row-open" : ""}`}
              aria-rowindex={index + 2}
              aria-selected={row.key === openKey}
              style={{ transform: `translateY(${index * rowHeight}px)`, width: `${layout.total}px` }}
              onClick={() => {
                active.value = [index, activeColumn];
                onOpen(row.key);
              }}
            >
              {columns.slice(range[0], range[1]).map((column, columnOffset) => {
                const columnIndex = range[0] + columnOffset;
                return (
                  <GridCell
                    key={column.name}
                    id={`cell-${index}-${columnIndex}`}
                    row={row}
                    column={column}
                    columnIndex={columnIndex}
                    left={layout.left[columnIndex] ?? 0}
                    width={layout.widths[columnIndex] ?? 0}
                    isActive={index === activeRow && columnIndex === activeColumn}
                    comparing={comparing}
                  />
                );
              })}
            </div>
          );
        })}
      </div>
    </div>
  );
}
