import type { ScopeOptions } from "@cadastre/entitlement";
import { type Catalog, dictionaryCatalog, type OriginatingSystem, recordNames } from "@cadastre/reso";
import { trustedNames } from "../../access/demo-issuer.ts";
import { scopeOptionsOf } from "../../catalog.ts";
import { readConfig } from "../../config.ts";
import { configuredCatalog, createFromFile } from "../catalog.ts";

/** Systems, resources and fields that entitlements can grant. */
export type GrantCatalog = {
  readonly catalog: Catalog;
  readonly systems: readonly OriginatingSystem[];
  readonly scopeOptions: ScopeOptions;
  /** Names of the fields of a resource that all systems have in common. */
  readonly sharedFields: (resource: string) => readonly string[];
  /** Values of `StateOrProvince`. */
  readonly states: readonly string[];
  /** The service on this machine; undefined if the documents are for one elsewhere. */
  readonly service?: {
    /** `iss` and `aud` of the documents that it trusts. */
    readonly iss: string;
    readonly aud: string;
    /** Returns the counties of the listings that it has in a state, sorted. */
    readonly countiesOf: (state: string) => Promise<readonly string[]>;
  };
};

/**
 * Returns what the entitlements of the configured service can grant, or of the one whose catalog is in a file. Without either, as on an
 * issuer's machine, the systems are unknown, so that a grant of any dataset passes.
 */
export async function readGrantCatalog(file?: string): Promise<GrantCatalog> {
  if (file !== undefined) return toGrantCatalog(await createFromFile(file));
  const catalog = await configuredCatalog();
  if (catalog === undefined) {
    const { scopeOptions, ...dictionary } = toGrantCatalog(dictionaryCatalog);
    const { datasets: _, ...options } = scopeOptions;
    return { ...dictionary, scopeOptions: options };
  }
  const { issuer: iss, audience: aud } = trustedNames(readConfig(process.env));
  return { ...toGrantCatalog(catalog), service: { iss, aud, countiesOf } };
}

async function countiesOf(state: string): Promise<readonly string[]> {
  // Imported here because documents without counties need no database.
  const { readCounties } = await import("./stored-counties.ts");
  return readCounties(state);
}

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
