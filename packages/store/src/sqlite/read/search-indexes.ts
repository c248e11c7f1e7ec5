import { datasetProperty } from "@cadastre/entitlement";
import { fts5GramIndex, identifier, rtreeIndex, sql } from "@cadastre/odata";
import type { PointIndex, TextIndex } from "@cadastre/odata/compile";
import { value } from "@cadastre/odata/run";
import type { PointSchema, TableSchema, TextSchema } from "../../schema/table.ts";
import { numbersOf } from "../layout/datasets.ts";
import { noPosition } from "../layout/places.ts";

/**
 * Trigram index of a column of texts, as an FTS5 table. Each gram is preceded by the number of the dataset, so a search reads entries of the
 * datasets that its query names and no others. Rows without a text or a dataset are not in it.
 */
export const gramIndexOf = ({ name: table }: TableSchema, { name }: TextSchema): TextIndex =>
  fts5GramIndex(name, sql`${identifier(table)}.rowid`, { property: datasetProperty, numbers: numbersOf });

/**
 * Spatial index of a location column, as an R*Tree. It contains every row of the table by `rowid`: rows without a valid position
 * are at longitudes beyond 180, so that they can be found as well.
 */
export function spatialIndexOf({ name: table }: TableSchema, { name, column }: PointSchema): PointIndex {
  const rowid = sql`${identifier(table)}.rowid`;
  const beyond = sql`${rowid} in (select id from ${identifier(name)} where west > 180`;
  return {
    ...rtreeIndex(name, rowid, identifier(column.name)),
    missing: sql`${beyond})`,
    misplaced: sql`${beyond} and west < ${value(noPosition[0])})`,
  };
}
