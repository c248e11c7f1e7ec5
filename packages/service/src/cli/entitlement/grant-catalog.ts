import type { ScopeOptions } from "@cadastre/entitlement";
import {
  fieldsOf,
  lookupValues,
  type OriginatingSystem,
  originatingSystems,
  recordNames,
} from "@cadastre/reso";
import { scopeOptions } from "../../catalog.ts";

/** Systems, resources and fields that entitlements can grant. */
export type GrantCatalog = {
  readonly systems: readonly OriginatingSystem[];
  readonly scopeOptions: ScopeOptions;
  /** Names of the fields of a resource that all systems have in common. */
  readonly sharedFields: (resource: string) => readonly string[];
  /** Values of `StateOrProvince`. */
  readonly states: readonly string[];
};

/** Returns the catalog of this program. */
export const grantCatalog = (): GrantCatalog => ({
  systems: originatingSystems,
  scopeOptions,
  sharedFields: (resource) =>
    recordNames.flatMap((name) =>
      name === resource ? fieldsOf(name).flatMap((field) => (field.source === null ? [field.name] : [])) : [],
    ),
  states: lookupValues("StateOrProvince").map(({ value }) => value),
});

/** Returns the id of the system that a dataset belongs to, or the id of the dataset if there is none. */
export const systemIdOf = ({ systems }: GrantCatalog, datasetId: string): string =>
  systems.find((system) => system.datasetId === datasetId)?.id ?? datasetId;
