import type { ScopeOptions } from "@cadastre/entitlement";
import { type Catalog, type OriginatingSystem, recordNames } from "@cadastre/reso";
import { scopeOptionsOf } from "../../catalog.ts";
import { catalogFor } from "../catalog.ts";

/** Systems, resources and fields that entitlements can grant. */
export type GrantCatalog = {
  readonly catalog: Catalog;
  readonly systems: readonly OriginatingSystem[];
  readonly scopeOptions: ScopeOptions;
  /** Names of the fields of a resource that all systems have in common. */
  readonly sharedFields: (resource: string) => readonly string[];
  /** Values of `StateOrProvince`. */
  readonly states: readonly string[];
};

/** Returns what the entitlements of the configured service can grant, or of the one whose catalog is in a file. */
export const readGrantCatalog = async (file?: string): Promise<GrantCatalog> =>
  toGrantCatalog(await catalogFor(file));

export const toGrantCatalog = (catalog: Catalog): GrantCatalog => ({
  catalog,
  systems: catalog.systems,
  scopeOptions: scopeOptionsOf(catalog),
  sharedFields: (resource) =>
    recordNames.flatMap((name) =>
      name === resource
        ? catalog.fieldsOf(name).flatMap((field) => (field.source === null ? [field.name] : []))
        : [],
    ),
  states: catalog.lookups.values("StateOrProvince").map(({ value }) => value),
});

/** Returns the id of the system that a dataset belongs to, or the id of the dataset if there is none. */
export const systemIdOf = ({ systems }: GrantCatalog, datasetId: string): string =>
  systems.find((system) => system.datasetId === datasetId)?.id ?? datasetId;
