import { basename } from "node:path";
import { recordNames } from "@cadastre/reso";
import type { DataFolder } from "../data/data-folder.ts";
import { databasesOf } from "../data/databases.ts";
import type { Finding } from "./findings.ts";

/** Compares every dataset of every resource with what was published. Reads all records. */
export async function* checkBuilds(folder: DataFolder): AsyncGenerator<Finding> {
  const { listingsName, hasListings, openListings } = databasesOf(folder);
  if (!(await hasListings())) {
    yield { code: "database_missing", subject: basename(listingsName), detail: "it does not exist" };
    return;
  }
  const { builds, close } = await openListings({ threads: 0 });
  try {
    for (const name of recordNames)
      for (const { datasetId, detail } of await builds.verify(name))
        yield { code: "build_altered", subject: subjectOf(name, datasetId), detail };
  } finally {
    await close();
  }
}

const subjectOf = (resource: string, datasetId: string | null | undefined): string =>
  datasetId === undefined ? resource : `${resource} of ${datasetId ?? "no dataset"}`;
