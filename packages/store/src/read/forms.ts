import { datasetProperty } from "@cadastre/entitlement";
import {
  type BoundQuery,
  identifier,
  type Mapping,
  type Projection,
  type SqlFragment,
  sql,
} from "@cadastre/odata";
import { type Dialect, value } from "@cadastre/odata/run";
import type { Planned } from "../record/plan.ts";
import { recordChecksum } from "../record/record-checksum.ts";
import { recordColumns, type TableSchema } from "../schema/table.ts";

/** Expressions that differ between the databases. */
export type ReadForms = {
  readonly dialect: Dialect;
  /** Selects the text of a record in the form that the reader expects. */
  readonly text: SqlFragment;
  /** The text of an empty record in that form. */
  readonly emptyText: SqlFragment;
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

/** The same columns for a selection of nothing, in which only the key is read: each record is an empty one. */
const columnsOfKey = ({ key }: TableSchema, { emptyText }: ReadForms): readonly SqlFragment[] => [
  sql`null`,
  emptyText,
  sql`''`,
  value(recordChecksum(null, "", "{}")),
  ...key.map(({ name }) => identifier(name)),
];

/** True if a selection shows nothing of its records. */
export const showsNothing = ({ plan, computed }: Planned): boolean =>
  plan.slots.length === 0 && computed.length === 0;

/** Columns that a page selects: those of the record, then the values that the query computes. */
export const columnsOfPage = (
  query: BoundQuery,
  planned: Planned,
  table: TableSchema,
  forms: ReadForms,
  of: Mapping,
): readonly SqlFragment[] =>
  showsNothing(planned)
    ? columnsOfKey(table, forms)
    : [
        ...columnsOfRecord(table, forms),
        ...planned.computed.map((projection) => forms.computed(query, projection, of)),
      ];
