import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { canonicalBytes, type Manifest } from "@cadastre/manifest";
import type { ExportColumn, ExportSource } from "../source/export-source.ts";
import { type DomainDataset, domainTable } from "./domains.ts";
import type { OutputProfile } from "./profile.ts";

/** A dataset of a delivery, with the columns of its records there. */
export type DeliveredDataset = DomainDataset & { readonly columns: readonly ExportColumn[] };

/** Schema as a manifest states it. */
export type DeliverySchema = Manifest["schema"];

/**
 * Returns the datasets of a delivery for a profile and a scope, each with the columns that the profile selects and the scope shows, in
 * the order of the source. The key is always among them. A dataset that the scope does not show is not delivered.
 */
export function deliveredDatasets(
  source: Pick<ExportSource, "columns">,
  scope: Scope,
  { domain, fields }: OutputProfile,
): readonly DeliveredDataset[] {
  return domainTable[domain].datasets.flatMap((dataset) => {
    const wanted = fields === "*" ? "*" : fields[dataset.name];
    const shown = wanted === undefined ? undefined : source.columns(dataset.name, scope);
    if (wanted === undefined || shown === undefined) return [];
    const isWanted = ({ name }: ExportColumn) =>
      wanted === "*" || name === dataset.keyField || wanted.includes(name);
    return [{ ...dataset, columns: shown.filter(isWanted) }];
  });
}

/**
 * Returns the schema of a delivery. Its hash covers the names and types of the delivered columns, in order. So it changes whenever
 * a reader would meet another column, and reveals nothing of columns that are not shown.
 */
export function schemaOf(
  { domain, schema: { id, version } }: OutputProfile,
  datasets: readonly DeliveredDataset[],
): DeliverySchema {
  const content = datasets.map(({ name, resource, keyField, columns }) => ({
    name,
    resource,
    keyField,
    columns,
  }));
  const bytes = canonicalBytes({ id, version, datasets: content });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { id, version, sha256, resoDdVersion: domainTable[domain].resoDdVersion };
}
