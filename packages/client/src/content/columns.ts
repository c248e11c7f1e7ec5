import { join } from "node:path";
import type { Manifest } from "@cadastre/manifest";
import { ClientError } from "../errors.ts";
import { isText, type PartFile, readPart } from "./read-part.ts";

/** Kind of a column's values. `json` is for lists, objects, and columns of mixed kinds. */
export type ColumnKind = "text" | "integer" | "number" | "boolean" | "json";

/** Columns of a dataset in the order in which they first occurred, the key first. */
export type Columns = ReadonlyMap<string, ColumnKind>;

/** A column name that every supported database accepts, and that needs no escaping in a JSON path. */
const columnName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

/** @throws {ClientError} */
export function requireColumnName(column: string, table: string): void {
  if (!columnName.test(column)) throw new ClientError("column_name", { column: column.slice(0, 64), table });
}

/** Returns the parts of a dataset in the order in which they are applied. */
export const partsOf = ({ profile, parts }: Manifest, dataset: string, folder: string): readonly PartFile[] =>
  parts
    .filter((part) => part.dataset === dataset)
    .map((part) => ({ file: join(folder, part.name), part, profile }));

/**
 * Reads all records of a delivery's text parts, and returns the columns of its datasets.
 *
 * @throws {ClientError} at the first part that does not match the manifest
 */
export async function readColumns(manifest: Manifest, folder: string): Promise<ReadonlyMap<string, Columns>> {
  const datasets = new Map<string, Columns>();
  for (const { name, keyField } of manifest.datasets) {
    const columns = new Map<string, ColumnKind>([[keyField, "text"]]);
    const seen = new Map<string, ColumnKind>();
    if (isText(manifest.profile.format))
      for (const part of partsOf(manifest, name, folder)) await learn(part, keyField, seen);
    for (const [column, kind] of seen) {
      requireColumnName(column, name);
      columns.set(column, kind);
    }
    datasets.set(name, columns);
  }
  return datasets;
}

async function learn(from: PartFile, keyField: string, columns: Map<string, ColumnKind>): Promise<void> {
  let row = 0;
  for await (const lines of readPart(from)) {
    for (const line of lines) {
      row++;
      const record = recordOf(line);
      if (record === undefined || (record[keyField] ?? null) === null)
        throw new ClientError("part_malformed", { part: String(from.part.number), row: String(row) });
      widen(columns, from.part.content === "rows" ? record : { [keyField]: record[keyField] });
    }
  }
}

function recordOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function widen(columns: Map<string, ColumnKind>, record: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(record)) {
    const kind = kindOf(record[name]);
    const before = columns.get(name);
    if (kind === undefined || kind === before) continue;
    columns.set(name, before === undefined ? kind : wider(before, kind));
  }
}

const wider = (a: ColumnKind, b: ColumnKind): ColumnKind =>
  (a === "integer" && b === "number") || (a === "number" && b === "integer") ? "number" : "json";

/** Returns the kind of a value; undefined for null, which says nothing about its column. */
function kindOf(value: unknown): ColumnKind | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return "json";
}
