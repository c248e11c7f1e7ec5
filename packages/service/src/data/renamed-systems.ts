import { inspectEntitlement } from "@cadastre/entitlement";
import {
  type Catalog,
  type CatalogDefinition,
  CatalogError,
  type CatalogFault,
  type OriginatingSystem,
  recordNames,
} from "@cadastre/reso";
import type { Builds } from "@cadastre/store";
import type { DataFolder } from "./data-folder.ts";
import { databasesOf } from "./databases.ts";
import type { Registry } from "./registry.ts";

/** Resources whose records have the name of their system. */
const named = recordNames.filter((name) => name !== "Lookup");

/**
 * Checks that no stored record and no entitlement has the former name of a system that the definition renames. Records are not rewritten, and
 * an entitlement is signed, so both would belong to no system any more.
 *
 * @throws {CatalogError} with all faults, and what to do instead
 */
export async function requireNamesUnused(
  folder: DataFolder,
  { entitlements }: Pick<Registry, "entitlements">,
  before: Catalog,
  { systems }: CatalogDefinition,
): Promise<void> {
  const renamed = before.systems.filter(({ id, name }) =>
    systems.some((system) => system.id === id && system.name !== name),
  );
  if (renamed.length === 0) return;
  const holders = await holdersOf(entitlements);
  const store = await databasesOf(folder).openListings({ catalog: before, threads: 0 });
  try {
    const faults: CatalogFault[] = [];
    for (const system of renamed) {
      const path = ["systems", systems.findIndex(({ id }) => id === system.id), "name"];
      const { id, name } = system;
      const records = await recordsOf(store.builds, system);
      if (records !== undefined)
        faults.push({
          path,
          message: `must stay \`${name}\`, since ${records}. To change what customers read: \`cadastre profile set ${id} --display-name …\`. If the source writes another name now, give its records this one: \`constants: { OriginatingSystemName: ${name} }\` in a mapping`,
        });
      const customers = holders.get(name) ?? [];
      if (customers.length > 0)
        faults.push({
          path,
          message: `must stay \`${name}\`, since entitlements name it as a region: those of ${customers.slice(0, 5).join(", ")}${customers.length > 5 ? ` and ${customers.length - 5} more` : ""}. Install others first, without a region of the kind \`originating_system\``,
        });
    }
    if (faults.length > 0) throw new CatalogError(faults);
  } finally {
    await store.close();
  }
}

/** Returns where records of a system are: served, staged, in a build that could be served again, or retired. Undefined if there are none. */
async function recordsOf(builds: Builds, { id, datasetId }: OriginatingSystem): Promise<string | undefined> {
  if ((await builds.retired()).some((one) => one.datasetId === datasetId))
    return `${id} is retired, and \`cadastre system restore ${id}\` brings back its records, which have this name`;
  for (const resource of named) {
    // A cursor stays when all records are deleted, and an earlier build may still have them.
    const isKnown =
      (await builds.cursor(resource, id)) !== null || (await builds.keys(resource, id)).length > 0;
    if (isKnown) return `${resource} has, or had, records of ${id} with this name`;
  }
  return undefined;
}

/** Returns the customers whose entitlements name a system as a region, by the name of the system. */
async function holdersOf(
  entitlements: Registry["entitlements"],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const holders = new Map<string, readonly string[]>();
  for (const { customer, jws } of await entitlements.list())
    for (const { kind, value } of inspectEntitlement(jws).document.regions)
      if (kind === "originating_system") holders.set(value, [...(holders.get(value) ?? []), customer]);
  return holders;
}
