import { createHash } from "node:crypto";
import { canonicalText, domainTable, type Manifest } from "@cadastre/manifest";
import type { ExportColumn, ExportType } from "../source/export-source.ts";
import { columnForms } from "./column-forms.ts";
import type { DeliveredDataset, OutputProfile } from "./profile.ts";

/** Schema as a manifest states it. */
export type DeliverySchema = Manifest["schema"];

/** The schema document of a delivery: canonical JSON, and its SHA-256, by which manifests name it. */
export type SchemaDocument = { readonly text: string; readonly sha256: string };

/** Datasets of a delivery, and the profile that selects them. */
type Content = {
  readonly profile: Pick<OutputProfile, "schema" | "domain">;
  readonly datasets: readonly DeliveredDataset[];
};

/** Version of the form of a schema document. */
const documentVersion = 2;

/** The type of a column without facets, as documents of every version state it. */
type PlainColumn = Omit<ExportColumn, "facets">;

const plainColumn = ({ name, type, collection, nullable }: ExportColumn): PlainColumn => ({
  name,
  type: plainType(type),
  collection,
  nullable,
});

const plainType = (type: ExportType): ExportType =>
  typeof type === "object" && "struct" in type ? { struct: type.struct.map(plainColumn) } : type;

/** Returns the address, relative to the service, at which `$metadata` describes a field; null if it describes no such field. */
const linkOf = (resource: string | null, name: string): string | null =>
  resource === null ? null : `/reso/odata/$metadata#${resource}/${name}`;

/** Returns the entry of a column, with every fact that a reader needs to create it elsewhere. */
function columnEntry({ resource, keyField }: DeliveredDataset, column: ExportColumn): object {
  const { facets } = column;
  const decimal = typeof column.type === "object" && "decimal" in column.type ? column.type.decimal : [];
  return {
    key: column.name === keyField,
    maxLength: facets?.maxLength ?? null,
    precision: decimal[0] ?? facets?.precision ?? null,
    scale: decimal[1] ?? facets?.scale ?? null,
    title: facets?.title ?? null,
    link: linkOf(resource, column.name),
    ...plainColumn(column),
    ...columnForms(column),
  };
}

const sealed = (value: unknown): SchemaDocument => {
  const text = canonicalText(value);
  return { text, sha256: createHash("sha256").update(text).digest("hex") };
};

const currentForm = ({ profile: { schema }, datasets }: Content): SchemaDocument =>
  sealed({
    documentType: "schema",
    documentVersion,
    ...schema,
    datasets: datasets.map((dataset) => ({
      ...named(dataset),
      columns: dataset.columns.map((column) => columnEntry(dataset, column)),
    })),
  });

/** Forms of earlier releases. Manifests of those name a document of the form of their time. */
const earlierForms: readonly ((content: Content) => SchemaDocument)[] = [
  ({ profile: { schema }, datasets }) =>
    sealed({
      ...schema,
      datasets: datasets.map((dataset) => ({
        ...named(dataset),
        columns: dataset.columns.map(plainColumn),
      })),
    }),
];

const named = ({ name, resource, keyField }: DeliveredDataset) => ({ name, resource, keyField });

/**
 * Returns the schema document of a delivery. It has the names and types of the delivered columns, in order, so its hash changes whenever a
 * reader would meet another column, and it reveals nothing of columns that are not shown.
 *
 * @param sha256 hash of the document that a delivery or a generation was pinned to. If a document of an earlier form still has it, that
 * document is returned, so that a generation goes on across an upgrade. By default the current form.
 */
export function schemaDocument(
  profile: Content["profile"],
  datasets: readonly DeliveredDataset[],
  sha256?: string,
): SchemaDocument {
  const current = currentForm({ profile, datasets });
  if (sha256 === undefined || current.sha256 === sha256) return current;
  return earlierSchemaDocuments(profile, datasets).find((one) => one.sha256 === sha256) ?? current;
}

/** Returns the schema documents of a delivery in the forms of earlier releases. */
export const earlierSchemaDocuments = (
  profile: Content["profile"],
  datasets: readonly DeliveredDataset[],
): readonly SchemaDocument[] => earlierForms.map((form) => form({ profile, datasets }));

/** Returns the schema as a manifest states it. */
export const manifestSchema = (
  { schema, domain }: Content["profile"],
  { sha256 }: SchemaDocument,
  { dictionaryVersion = null }: { readonly dictionaryVersion?: string | null },
): DeliverySchema => ({
  ...schema,
  sha256,
  resoDdVersion: domainTable[domain].followsDictionary ? dictionaryVersion : null,
});
