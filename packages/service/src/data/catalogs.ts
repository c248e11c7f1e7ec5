import { LruCache } from "@cadastre/odata/lru-cache";
import {
  type Catalog,
  type CatalogDefinition,
  CatalogError,
  createCatalog,
  readDefinition,
} from "@cadastre/reso";
import type { CatalogVersion, CatalogVersions } from "@cadastre/store/registry";
import { DataError } from "./data-error.ts";

/** A catalog, and the number of its version. */
export type VersionedCatalog = { readonly version: number; readonly catalog: Catalog };

/** Catalogs by the text of their definition, so that all users of a version in this process have one object. */
const created = new LruCache<string, Catalog>(4);

/**
 * Creates the catalog of a stored version. A registry without one is of a release whose systems were compiled in: those of the sample. Their
 * catalog has version 0.
 *
 * @throws {DataError} if the definition was written by a later release, or is damaged
 */
export async function toCatalog(stored: CatalogVersion | undefined): Promise<VersionedCatalog> {
  if (stored === undefined) {
    const { sampleCatalog } = await import("@cadastre/sample/catalog");
    return { version: 0, catalog: sampleCatalog };
  }
  const { version, definition } = stored;
  try {
    return { version, catalog: created.get(definition, () => createCatalog(parseDefinition(definition))) };
  } catch (cause) {
    if (!(cause instanceof CatalogError)) throw cause;
    throw new DataError(
      `version ${version} of the catalog in the registry cannot be used: start the release that wrote it, or restore the registry from your last backup (${cause.message})`,
      { cause },
    );
  }
}

/** @throws {CatalogError} */
function parseDefinition(text: string): CatalogDefinition {
  try {
    return readDefinition(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new CatalogError([{ path: [], message: "it is not JSON" }]);
    throw error;
  }
}

/** Returns the catalog in force. @throws {DataError} as {@link toCatalog} */
export const currentCatalog = async (catalogs: Pick<CatalogVersions, "current">): Promise<VersionedCatalog> =>
  toCatalog(await catalogs.current());

/** Adds the first version of a catalog, unless the registry has one. */
export async function addFirstCatalog(
  catalogs: Pick<CatalogVersions, "currentVersion" | "add">,
  definition: CatalogDefinition,
): Promise<void> {
  if ((await catalogs.currentVersion()) === 0) await catalogs.add(JSON.stringify(definition), 0, Date.now());
}
