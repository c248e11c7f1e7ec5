import { identifier, type SqlFragment } from "../sql/fragment.ts";
import type { Direction } from "../syntax/tree.ts";
import type { Target } from "./operand.ts";

/** An item that rows are sorted by. */
export type SortItem = {
  /** Position of the item in the order of the query. */
  readonly position: number;
  readonly operand: SqlFragment;
  readonly nullable: boolean;
  readonly direction: Direction;
};

/** Compiles an item of `order by`, on its operand or on a column that holds the operand's value. */
export const compileSort = (
  { operand, nullable, direction }: SortItem,
  { dialect }: Target,
  by = operand,
): SqlFragment => (direction === "asc" ? dialect.ascending(by, nullable) : dialect.descending(by, nullable));

/** Returns the name of the column that holds the value of an item. */
export const sortName = (position: number): SqlFragment => identifier(`sort${position}`);
