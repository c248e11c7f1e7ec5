import type { Catalog } from "@cadastre/reso";
import type { Builds } from "@cadastre/store";
import { perCatalog } from "../catalog.ts";
import { IngestError } from "./ingest-error.ts";

/** Source of records: an originating system, named by its id, or the dictionary. */
export type Source = {
  readonly name: string;
  /** Dataset of its records. Null if all datasets share them. */
  readonly datasetId: string | null;
  /** `OriginatingSystemName` that its records must have. Null: none. */
  readonly systemName: string | null;
};

/** Source of the records that all systems share, such as common lookups. */
export const dictionary: Source = { name: "dictionary", datasetId: null, systemName: null };

/** Returns the sources of a catalog. */
export const sourcesOf = perCatalog(({ systems }): readonly Source[] => [
  ...systems.map(({ id, datasetId, name }) => ({ name: id, datasetId, systemName: name })),
  dictionary,
]);

/** Returns the name of a dataset's source. */
export const sourceOf = (catalog: Catalog, datasetId: string | null): string =>
  sourcesOf(catalog).find((source) => source.datasetId === datasetId)?.name ?? dictionary.name;

/** Returns the source with this `OriginatingSystemName`. */
export const sourceBySystem = (catalog: Catalog, systemName: unknown): Source | undefined =>
  sourcesOf(catalog).find((source) => source.systemName !== null && source.systemName === systemName);

/** Returns the source with this name. @throws {IngestError} names the sources that there are */
export function sourceNamed(catalog: Catalog, name: string): Source {
  const sources = sourcesOf(catalog);
  const found = sources.find((source) => source.name === name);
  if (found === undefined)
    throw new IngestError(
      `there is no source \`${name}\`. There are ${sources.map((source) => source.name).join(", ")}; \`cadastre system add\` adds another`,
    );
  return found;
}

/** @throws {IngestError} if the system of the source is retired */
export async function requireNotRetired(
  builds: Pick<Builds, "retired">,
  { name, datasetId }: Source,
): Promise<void> {
  const retired = await builds.retired();
  if (retired.some((one) => one.datasetId === datasetId))
    throw new IngestError(
      `${name} is retired, and nothing of it is taken: \`cadastre system restore ${name}\` undoes that, with \`--empty\` without its former records`,
    );
}
