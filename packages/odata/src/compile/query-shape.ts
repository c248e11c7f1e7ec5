import type { BoundQuery, ConstantNode } from "../bound/tree.ts";
import { isComputed } from "./select.ts";
import { isAlike, isOfShape, type TreeShape, treeShapeOf } from "./tree-shape.ts";

/** Shape of a query: it also matches queries with other constants, and with other paging values if the same ones are given. */
type QueryShape = {
  readonly query: BoundQuery;
  readonly filter: TreeShape;
  readonly orders: readonly TreeShape[];
  /** Undefined if `select` is not part of the statement. */
  readonly projections: readonly TreeShape[] | undefined;
};

/**
 * Returns the shape of a query, the constants in it, and a copy of the query that holds exactly these constant
 * nodes, so that their identity gives their index.
 */
export function shapeOfQuery(query: BoundQuery, projected: boolean) {
  const constants: ConstantNode[] = [];
  const [filter, ownFilter] = treeShapeOf(query.filter, true, constants);
  const orders = query.orderBy.map(({ expression }) => treeShapeOf(expression, true, constants));
  const projections = query.select.map((projection) =>
    treeShapeOf(projection.expression, isComputed(projection, query.entitySet), constants),
  );
  const shape: QueryShape = {
    query,
    filter,
    orders: orders.map(([order]) => order),
    projections: projected ? projections.map(([projection]) => projection) : undefined,
  };
  const own: BoundQuery = {
    ...query,
    filter: ownFilter,
    orderBy: query.orderBy.map((item, i) => ({ ...item, expression: orders[i]?.[1] ?? item.expression })),
    select: query.select.map((item, i) => ({ ...item, expression: projections[i]?.[1] ?? item.expression })),
  };
  return { shape, own, constants } as const;
}

/**
 * Constants found in a query, by their index in the shape. Empty where the query uses the very nodes of the shape's
 * query.
 */
export type Found = (ConstantNode | undefined)[];

type Check = (query: BoundQuery, shape: QueryShape, found: Found) => boolean;

/**
 * Comparisons of a query with a shape, one for each member of `BoundQuery`. The type demands one for every new
 * member.
 */
const checks = {
  entitySet: ({ entitySet }, { query }) => entitySet === query.entitySet,
  filter: ({ filter }, shape, found) => isOfShape(filter, shape.filter, found),
  orderBy: ({ orderBy }, { query, orders }, found) =>
    orderBy === query.orderBy ||
    (orderBy.length === orders.length &&
      orders.every((order, i) => {
        const item = orderBy[i];
        return (
          item?.direction === query.orderBy[i]?.direction &&
          item !== undefined &&
          isOfShape(item.expression, order, found)
        );
      })),
  select: ({ select }, { query, projections }, found) =>
    projections === undefined ||
    select === query.select ||
    (select.length === projections.length &&
      projections.every((projection, i) => {
        const item = select[i];
        return (
          item !== undefined &&
          isAlike(item.property, query.select[i]?.property) &&
          isOfShape(item.expression, projection, found)
        );
      })),
  top: () => true,
  skip: ({ skip }, { query }) => (skip === 0) === (query.skip === 0),
  after: ({ after }, { query }) =>
    after === null || query.after === null
      ? after === query.after
      : after.length === query.after.length &&
        after.every((value, i) => ((value ?? null) === null) === ((query.after?.[i] ?? null) === null)),
} as const satisfies Record<keyof BoundQuery, Check>;

const everyCheck: readonly Check[] = Object.values(checks);

/** True if a query has the shape. Its constants are put into `found`. */
export const isQueryOfShape: Check = (query, shape, found) =>
  everyCheck.every((check) => check(query, shape, found));
