import type { RemovedRecord } from "@cadastre/store";
import { sources } from "../../src/ingest/sources.ts";
import { hiddenDataset } from "./canaries.ts";

/** Datasets of records, with the one that nobody is granted. */
const datasets = [...sources.flatMap(({ datasetId }) => datasetId ?? []), hiddenDataset];

/** Removes a record, whatever its dataset is. */
export const removalsOf = (resource: string, key: string): readonly RemovedRecord[] =>
  datasets.map((datasetId) => ({ resource, datasetId, removed: [key] }));
