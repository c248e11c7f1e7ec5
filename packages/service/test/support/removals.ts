import { sampleCatalog } from "@cadastre/sample/catalog";
import type { RemovedRecord } from "@cadastre/store";
import { sourcesOf } from "../../src/ingest/sources.ts";
import { hiddenDataset } from "./canaries.ts";

/** Datasets of records, with the one that nobody is granted. */
const datasets = [...sourcesOf(sampleCatalog).flatMap(({ datasetId }) => datasetId ?? []), hiddenDataset];

/** Removes a record, whatever its dataset is. */
export const removalsOf = (resource: string, key: string): readonly RemovedRecord[] =>
  datasets.map((datasetId) => ({ resource, datasetId, removed: [key] }));
