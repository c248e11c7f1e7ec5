import { createHash } from "node:crypto";
import type { Scope } from "@cadastre/entitlement";
import { canonicalBytes, type Manifest } from "@cadastre/manifest";
import type { ExportColumn, ExportSource } from "../source/export-source.ts";
import { type Dataset, domains } from "./domains.ts";
import type { OutputProfile } from "./profile.ts";

/** A dataset of a delivery, with the columns that its records have there. */
export type DeliveredDataset = Dataset & { readonly columns: readonly ExportColumn[] };

/** What a manifest says of a schema. */
export type DeliverySchema = Manifest["schema"];

/**
 * What a delivery by a profile holds for a scope: each dataset with the columns that the profile asks for and the scope shows, in
 * the order of the source. The key is always among them; a dataset that the scope does not show is not delivered.
 */
export function deliveredDatasets(
  source: Pick<ExportSource, "columns">,
  scope: Scope,
  { domain, fields }: OutputProfile,
): readonly DeliveredDataset[] {
  return domains[domain].datasets.flatMap((dataset) => {
    const wanted = fields === "*" ? "*" : fields[dataset.name];
    const shown = wanted === undefined ? undefined : source.columns(dataset.name, scope);
    if (wanted === undefined || shown === undefined) return [];
    const isWanted = ({ name }: ExportColumn) =>
      wanted === "*" || name === dataset.keyField || wanted.includes(name);
    return [{ ...dataset, columns: shown.filter(isWanted) }];
  });
}

/**
 * The schema of a delivery. Its hash is over the names and types of the columns that are delivered, in their order: it is
 * another one whenever a reader would meet another column, and tells nothing of those that are not shown.
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
  return { id, version, sha256, resoDdVersion: domains[domain].resoDdVersion };
}
