import type { DataFolder } from "../../src/data/data-folder.ts";
import type { PreparationProgress } from "../../src/data/fill-listings.ts";
import { prepareListings } from "../../src/data/prepare-listings.ts";
import { withRegistry } from "../../src/data/registry.ts";
import { readSecretsOf } from "../../src/data/secrets.ts";
import { prepareDemoAccess } from "../../src/demo/demo-access.ts";

/** Shows nothing of a preparation. */
export const noProgress: PreparationProgress = {
  started: () => {},
  loaded: () => {},
  done: () => {},
  kept: () => {},
};

/** Prepares the databases and the demo customers of a folder, as a first start does. Returns the customers with their keys. */
export async function prepareDemo(folder: DataFolder, listings: number) {
  await prepareListings(folder, listings, noProgress);
  return withRegistry(folder, async (registry) =>
    prepareDemoAccess(folder, registry, await readSecretsOf(folder, registry), Date.now()),
  );
}
