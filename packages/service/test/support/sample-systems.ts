import { sampleDefinition } from "@cadastre/sample/catalog";
import { changeCatalog } from "../../src/data/change-catalog.ts";
import type { DataFolder } from "../../src/data/data-folder.ts";
import { withRegistry } from "../../src/data/registry.ts";

/** Gives a folder without listings the systems and fields of the sample. The values of their lookups are published. */
export const addSampleSystems = (folder: DataFolder): Promise<unknown> =>
  withRegistry(folder, (registry) => changeCatalog(folder, registry, () => sampleDefinition));
