import { datasetProperty } from "@cadastre/entitlement";
import {
  type BoundQuery,
  type Dialect,
  identifier,
  type Mapping,
  type Projection,
  type SqlFragment,
} from "@cadastre/odata";
import { recordColumns, type TableSchema } from "../schema/table.ts";

/** What the databases select differently. */
export type ReadForms = {
  readonly dialect: Dialect;
  /** The record's text, as the reader takes it. */
  readonly text: SqlFragment;
  /** A value that a projection of the query computes, to be read by its type. */
  readonly computed: (query: BoundQuery, projection: Projection, of: Mapping) => SqlFragment;
};

/** Dataset, text, members, checksum, key. */
export const columnsOfRecord = ({ key }: TableSchema, { text }: ReadForms): readonly SqlFragment[] => [
  identifier(datasetProperty.name),
  text,
  identifier(recordColumns.members),
  identifier(recordColumns.checksum),
  ...key.map(({ name }) => identifier(name)),
];
