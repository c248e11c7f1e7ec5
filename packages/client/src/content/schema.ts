import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, sha256 } from "@cadastre/manifest";
import { z } from "zod";
import { ClientError } from "../errors.ts";
import { onDisk, unlessMissing } from "../fetch/disk.ts";
import { requireColumnName } from "./columns.ts";

/** Type of a value, as schema documents state it. */
export type SchemaType =
  | "string"
  | "boolean"
  | "int32"
  | "int64"
  | "double"
  | "timestamp"
  | "date"
  | "time"
  | "json"
  | { readonly decimal: readonly [precision: number, scale: number] }
  | { readonly struct: readonly SchemaMember[] };

/** A member of a record or of a struct. `collection` is true for a list of values of the type. */
export type SchemaMember = {
  readonly name: string;
  readonly type: SchemaType;
  readonly collection: boolean;
};

/** A column of a dataset, by its schema document. */
export type SchemaColumn = SchemaMember & { readonly title: string | null };

/** Columns of the datasets of a delivery, by the name of the dataset. */
export type DeliveredSchema = ReadonlyMap<string, readonly SchemaColumn[]>;

const digits = z.int().min(0).max(38);

const member = z.object({
  name: z.string(),
  collection: z.boolean(),
  get type(): z.ZodType<SchemaType> {
    return z.union([
      z.enum(["string", "boolean", "int32", "int64", "double", "timestamp", "date", "time", "json"]),
      z.object({ decimal: z.tuple([digits.min(1), digits]) }),
      z.object({ struct: z.array(member).min(1) }),
    ]);
  },
});

/** A schema document of version 2. The texts of SQL types in it are not read: a server must not write statements. */
const documentShape = z.object({
  documentVersion: z.literal(2),
  datasets: z.array(
    z.object({
      name: z.string(),
      columns: z.array(member.extend({ title: z.string().max(256).nullable() })),
    }),
  ),
});

/**
 * Reads the schema document that is staged with a delivery. Undefined if there is none, or one of another version: then columns are
 * inferred from the records.
 *
 * @throws {ClientError} `document_differs`, and `column_name` for a name that a database may not accept
 */
export async function readSchema(manifest: Manifest, folder: string): Promise<DeliveredSchema | undefined> {
  const listed = manifest.documents?.find(({ kind }) => kind === "schema");
  if (listed === undefined) return undefined;
  const file = join(folder, listed.name);
  const bytes = await onDisk(file, () => readFile(file).catch(unlessMissing));
  if (bytes === undefined) return undefined;
  if ((await sha256(bytes)) !== listed.sha256)
    throw new ClientError("document_differs", { file: listed.name });
  const document = documentShape.safeParse(JSON.parse(bytes.toString("utf8")));
  if (!document.success) return undefined;
  for (const { name, columns } of document.data.datasets) requireNames(columns, name);
  return new Map(document.data.datasets.map(({ name, columns }) => [name, columns]));
}

function requireNames(members: readonly SchemaMember[], table: string): void {
  for (const { name, type } of members) {
    requireColumnName(name, table);
    if (typeof type === "object" && "struct" in type) requireNames(type.struct, table);
  }
}

/** True if the values of a column are texts in JSON. */
export const isTextual = ({ type, collection }: SchemaMember): boolean =>
  !collection && typeof type === "string" && ["string", "timestamp", "date", "time"].includes(type);
