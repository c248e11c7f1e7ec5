import { datasetProperty } from "@cadastre/entitlement";
import type { StructuralProperty } from "@cadastre/odata";
import type { StoredResource } from "../store.ts";

const version = (name: string): StructuralProperty => ({
  name,
  type: "Edm.Int64",
  collection: false,
  nullable: false,
});

/** The checkpoints that a version of a record is valid from and up to, the latter not included. */
export const validity = { from: version("cadastre_from"), to: version("cadastre_to") } as const;

/** Columns of the record itself, see `EncodedRecord`. */
export const recordColumns = { text: "cadastre_record", members: "cadastre_members" } as const;

/**
 * A table as both databases have it. Current versions and closed ones lie in two tables of the same columns, but for
 * the end of the validity.
 */
export type TableSchema = {
  readonly name: string;
  /** Name of the table of closed versions. */
  readonly closed: string;
  readonly key: readonly StructuralProperty[];
  /** The typed columns: the key, what the resource asks for, the dataset and the hidden ones. */
  readonly columns: readonly StructuralProperty[];
  readonly indexes: readonly IndexSchema[];
};

export type IndexSchema = { readonly name: string; readonly columns: readonly string[] };

/** @throws {RangeError} if the resource asks for a column that its entity set has no property for. */
export function tableOf({ entitySet, columns, indexes, hidden = [] }: StoredResource): TableSchema {
  const { name, type } = entitySet;
  const find = (column: string) => {
    const property = type.properties.get(column);
    if (property === undefined)
      throw new RangeError(`${name} has no property ${column} to store in a column`);
    return property;
  };
  return {
    name,
    closed: `${name}_closed`,
    key: type.key.map(find),
    columns: [...new Set([...type.key, ...columns])].map(find).concat(datasetProperty, hidden),
    indexes: indexes.map((indexed) => ({ name: `${name}_${indexed.join("_")}`, columns: indexed })),
  };
}
