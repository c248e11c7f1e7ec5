import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { RecordName } from "@cadastre/reso";
import { acceptedValuesHash } from "../ingest/accepted-values.ts";
import { formatOf } from "../ingest/format.ts";
import { ingest } from "../ingest/ingest.ts";
import { withInput } from "../ingest/input.ts";
import { rejectLimit } from "../ingest/reject-limit.ts";
import { roundingOf } from "../ingest/rounding.ts";
import { isAborted, runStopped } from "../replicate/abort.ts";
import { latestAnyOrder } from "../replicate/modification-times.ts";
import type { FeedProgress } from "./definition.ts";
import { download } from "./download.ts";
import { sourceFiles } from "./source-files.ts";
import {
  type FeedServices,
  noCounts,
  rejectsFile,
  type StagedCounts,
  type StagingRun,
  sumOfCounts,
  usualMaxRejects,
} from "./staging-run.ts";

/** Stages the files of a resource that are new or have changed. */
export async function stageFiles(
  run: StagingRun,
  resource: RecordName,
  progress: FeedProgress,
  services: FeedServices,
): Promise<StagedCounts> {
  const { feed, definition, source, mapping, signal, onProgress } = run;
  const { location } = definition;
  await rm(rejectsFile(services, feed, resource), { force: true });
  const accepted = acceptedValuesHash(services.store.catalog, resource, source);
  let total = noCounts;
  for (const { path, target, version: content } of await sourceFiles(
    location.replaceAll("{resource}", resource),
  )) {
    const id = `${resource} ${path}`;
    const version = [content, accepted, mapping?.sha256 ?? ""].join(" ");
    if (progress.files[id] === version) continue;
    if (isAborted(signal)) throw runStopped();
    total = sumOfCounts(total, await stageFile(run, resource, services, target));
    progress.files = { ...progress.files, [id]: version };
    await onProgress(progress);
  }
  return total;
}

/** Stages the document at the address of a resource. */
export async function stageDocument(
  run: StagingRun,
  resource: RecordName,
  services: FeedServices,
): Promise<StagedCounts> {
  const { feed, definition, authorization, signal } = run;
  const { location } = definition;
  const file = join(services.folder.path, "feeds", `${feed.name}.${resource}.download`);
  try {
    const url = location.replaceAll("{resource}", resource);
    await download({ url, file, authorization, signal });
    return await stageFile(run, resource, services, file);
  } finally {
    await rm(file, { force: true });
  }
}

async function stageFile(
  { feed, definition, source, mapping, signal, onCounts, onReasons }: StagingRun,
  resource: RecordName,
  services: FeedServices,
  path: string,
): Promise<StagedCounts> {
  let modified: number | null = null;
  const report = await withInput(path, services.folder.path, (input) =>
    ingest({
      store: services.store,
      crosswalk: services.crosswalk,
      resource,
      source,
      input,
      format: definition.kind === "common-format" ? "common" : formatOf(input),
      mode: definition.full === true ? "full" : "changes",
      mapping,
      rounding: roundingOf(services.store.catalog, resource),
      rejects: rejectsFile(services, feed, resource),
      rejectLimit: rejectLimit(definition.maxRejects, usualMaxRejects),
      maxShrink: services.maxShrink,
      onTaken: (records) => {
        modified = latestAnyOrder(records, modified);
      },
      onProgress: (_bytes, counts) => {
        onCounts(counts, modified);
        if (isAborted(signal)) throw runStopped();
      },
    }),
  );
  onReasons(resource, report.reasons);
  return { ...report, removed: 0, modified };
}
