import type { Entitlement, ResourceGrant } from "@cadastre/entitlement";
import { table } from "../table.ts";
import { type GrantCatalog, systemIdOf } from "./grant-catalog.ts";

const heads = ["RESOURCE", "FIELDS", "ROWS", "SYSTEMS"] as const;

/** Returns a text table of what a document grants: one row for all systems that have the same grant of a resource. */
export function formatGrants({ datasets }: Pick<Entitlement, "datasets">, catalog: GrantCatalog): string {
  const rows = new Map<string, { readonly cells: readonly string[]; readonly systems: string[] }>();
  for (const { dataset_id, resources } of datasets)
    for (const [resource, grant] of Object.entries(resources)) {
      const key = JSON.stringify([resource, grant]);
      const row = rows.get(key) ?? { cells: cellsOf(resource, grant, catalog), systems: [] };
      rows.set(key, row);
      row.systems.push(systemIdOf(catalog, dataset_id));
    }
  return table(
    heads,
    [...rows.values()].map(({ cells, systems }) => [...cells, systems.join(", ")]),
  );
}

function cellsOf(
  resource: string,
  { fields, masks, contact, ...grant }: ResourceGrant,
  catalog: GrantCatalog,
) {
  const set = catalog.scopeOptions.entitySets.find(({ name }) => name === resource);
  const named = fields === "*" ? "all" : `${fields.length} of ${set?.type.properties.size ?? "?"}`;
  const masked = Object.keys(masks ?? {}).length;
  const parts = [named, contact ? "with contacts" : "", masked === 0 ? "" : `${masked} masked`];
  return [resource, parts.filter((part) => part !== "").join(", "), grant.private ? "private too" : "public"];
}
