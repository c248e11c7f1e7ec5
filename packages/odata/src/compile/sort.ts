import type { BoundType } from "../bound/tree.ts";
import type { EncodingName } from "../sql/encoding.ts";
import { identifier, join, type SqlFragment } from "../sql/fragment.ts";
import type { Direction } from "../syntax/items.ts";
import type { CompileContext } from "./compile-context.ts";

/** An item that rows are sorted by. */
export type SortItem = {
  /** Position of the item in the order of the query. */
  readonly position: number;
  readonly operand: SqlFragment;
  readonly type: BoundType;
  /** Encoding of the operand before it was made sortable. */
  readonly form: EncodingName;
  readonly nullable: boolean;
  readonly direction: Direction;
};

/** Compiles the list of `order by`. Each item is sorted by its operand, or by what `by` returns for it. */
export const compileSort = (
  items: readonly SortItem[],
  { dialect }: CompileContext,
  by: (item: SortItem) => SqlFragment = ({ operand }) => operand,
): SqlFragment =>
  join(
    items.map((item) =>
      item.direction === "asc"
        ? dialect.ascending(by(item), item.nullable)
        : dialect.descending(by(item), item.nullable),
    ),
    ", ",
  );

/** Returns the name of the column that holds the value of an item. */
export const sortName = (position: number): SqlFragment => identifier(`sort${position}`);
