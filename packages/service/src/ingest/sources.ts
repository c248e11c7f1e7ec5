import { originatingSystems } from "@cadastre/reso";

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

export const sources: readonly Source[] = [
  ...originatingSystems.map(({ id, datasetId, name }) => ({ name: id, datasetId, systemName: name })),
  dictionary,
];

/** Returns the name of a dataset's source. */
export const sourceOf = (datasetId: string | null): string =>
  sources.find((source) => source.datasetId === datasetId)?.name ?? dictionary.name;

/** Returns the source with this `OriginatingSystemName`. */
export const sourceBySystem = (systemName: unknown): Source | undefined =>
  sources.find((source) => source.systemName !== null && source.systemName === systemName);
