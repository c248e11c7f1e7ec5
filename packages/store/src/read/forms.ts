import { datasetProperty } from "@cadastre/entitlement";
import {
  type BoundQuery,
  identifier,
  type Mapping,
  type Projection,
  type SqlFragment,
} from "@cadastre/odata";
import type { Dialect } from "@cadastre/odata/run";
import { recordColumns, type TableSchema } from "../schema/table.ts";

/** Expressions that differ between the databases. */
export type ReadForms = {
  readonly dialect: Dialect;
  /** Selects the text of a record in the form that the reader expects. */
  readonly text: SqlFragment;
  /**
   * Selects the number of the cell of a grid that the stored value of a projection lies in, see `compileCells`. Undefined if the value is
   * computed in another way than by a mask that rounds, or stored in another form.
   */
  readonly storedCell?: (
    projection: Projection,
    cellsPerUnit: number,
    of: Mapping,
  ) => SqlFragment | undefined;
  /** Returns a statement that counts the rows of another one by their columns `cell0` and `cell1`. */
  readonly cellCounts: (rows: string) => string;
  /** Condition that a text is one of a JSON array. */
  readonly isAmong: (text: SqlFragment, array: SqlFragment) => SqlFragment;
  /** Selects a value that a projection of the query computes, in the form that the reader decodes by type. */
  readonly computed: (query: BoundQuery, projection: Projection, of: Mapping) => SqlFragment;
};

/** Columns that every page selects: dataset, text, member index, checksum, key. */
export const columnsOfRecord = ({ key }: TableSchema, { text }: ReadForms): readonly SqlFragment[] => [
  identifier(datasetProperty.name),
  text,
  identifier(recordColumns.members),
  identifier(recordColumns.checksum),
  ...key.map(({ name }) => identifier(name)),
];
