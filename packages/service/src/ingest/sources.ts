import { originatingSystems } from "@cadastre/reso";

/** Where records come from: an originating system, by its id, or the dictionary. */
export type Source = {
  readonly name: string;
  /** Dataset of its records; null where all datasets share them. */
  readonly datasetId: string | null;
  /** What its records must have for `OriginatingSystemName`. */
  readonly systemName: string | null;
};

/** The source of what all systems share. */
export const dictionary: Source = { name: "dictionary", datasetId: null, systemName: null };

export const sources: readonly Source[] = [
  ...originatingSystems.map(({ id, datasetId, name }) => ({ name: id, datasetId, systemName: name })),
  dictionary,
];

/** Name of the source that a dataset's records come from. */
export const sourceOf = (datasetId: string | null): string =>
  sources.find((source) => source.datasetId === datasetId)?.name ?? dictionary.name;

/** The source whose records have this originating system name. */
export const sourceBySystem = (systemName: unknown): Source | undefined =>
  sources.find((source) => source.systemName !== null && source.systemName === systemName);
