import {
  type BoundNode,
  type Column,
  identifier,
  join,
  type Mapping,
  type PointIndex,
  propertyNode,
  type StructuralProperty,
  sql,
  value,
} from "@cadastre/odata";
import { type PointSchema, type TableSchema, validity } from "../schema/table.ts";
import type { Closed } from "./past.ts";

/** Where the versions of a resource lie. */
export type VersionMapping = {
  readonly current: Mapping;
  /** The versions that were closed since `checkpoint`. */
  readonly closedSince: (checkpoint: number, which: Closed) => Mapping;
};

/**
 * @param pointIndexOf what finds the current versions by a column of points
 * @param guard a condition that every scan evaluates first
 */
export function versionMapping(
  table: TableSchema,
  column: (property: StructuralProperty) => Column,
  pointIndexOf: (table: TableSchema, point: PointSchema) => PointIndex,
  guard?: Mapping["where"],
): VersionMapping {
  const points = new Map(
    table.points.map((point) => [point.column.name, { index: pointIndexOf(table, point) }]),
  );
  const [current, closed] = [identifier(table.name), identifier(table.closed)];
  const guarded = guard === undefined ? {} : { where: guard };
  const sameKey = join(
    table.key.map(({ name }) => sql`${current}.${identifier(name)} = ${closed}.${identifier(name)}`),
    " and ",
  );
  const stillThere = sql`exists (select 1 from ${current} where ${sameKey})`;
  const to = identifier(validity.to.name);
  return {
    current: {
      from: current,
      column: (property) => ({ ...column(property), ...points.get(property.name) }),
      ...guarded,
    },
    closedSince: (checkpoint, which) => {
      const later = sql`${to} > ${value(BigInt(checkpoint))}`;
      const conditions = [...(guard === undefined ? [] : [guard]), later];
      if (which === "present") conditions.push(stillThere);
      return { from: closed, column, where: join(conditions, " and ") };
    },
  };
}

/** Whether a version had begun by `checkpoint`. */
export const asOf = (checkpoint: number): BoundNode => ({
  kind: "Compare",
  type: "Edm.Boolean",
  comparator: "le",
  left: propertyNode(validity.from),
  right: { kind: "Constant", type: "Edm.Int64", value: BigInt(checkpoint) },
});
