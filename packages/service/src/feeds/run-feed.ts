import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type RecordName, recordNames } from "@cadastre/reso";
import type { FeedCounts } from "@cadastre/store/registry";
import { endSample } from "../data/notes.ts";
import { allPassed, publishGated } from "../gates/publication.ts";
import { excessiveIn } from "../gates/shrink.ts";
import { RecordsRejected } from "../ingest/reject-reasons.ts";
import { sourceNamed } from "../ingest/sources.ts";
import { isAborted, runStopped } from "../replicate/abort.ts";
import { authorizationOf } from "../replicate/authorization.ts";
import { FeedError } from "../replicate/feed-error.ts";
import { definitionOf, type FeedProgress, progressOf } from "./definition.ts";
import { feedMapping } from "./feed-request.ts";
import { stageDocument, stageFiles } from "./stage-files.ts";
import { stageWebApi } from "./stage-web-api.ts";
import {
  type FeedRun,
  type FeedServices,
  noCounts,
  type StagedCounts,
  type StagingRun,
  sumOfCounts,
} from "./staging-run.ts";

/**
 * Stages what a feed has changed, and publishes it through the gates, one resource after another: media belong to listings that are served.
 *
 * @throws {FeedError} if the source or a gate fails, or the run is stopped
 * @throws {IngestError} if the records are refused as a whole
 */
export async function runFeed(run: FeedRun, services: FeedServices): Promise<void> {
  const { feed, onCounts, onProgress } = run;
  const { store } = services;
  const definition = definitionOf(feed);
  const { resources, credentials } = definition;
  const staging: StagingRun = {
    ...run,
    definition,
    source: sourceNamed(store.catalog, definition.source),
    mapping: feedMapping(store.catalog, definition),
    authorization: authorizationOf(credentials),
  };
  await endSample(store);
  await mkdir(join(services.folder.path, "feeds"), { recursive: true, mode: 0o700 });
  const progress = progressOf(feed);
  let total = noCounts;
  const tell = (before: StagedCounts, { read, staged, rejected }: FeedCounts, modified: number | null) => {
    const now = sumOfCounts(before, { read, staged, rejected, removed: 0, modified });
    onCounts(now, now.modified);
  };
  // In the order of the resources, in which owners come before what belongs to them.
  for (const resource of recordNames.filter((name) => resources.includes(name))) {
    const wasPending = progress.pending.includes(resource);
    const others = progress.pending.filter((name) => name !== resource);
    // Recorded before the first record is staged, so that a run after a crash publishes what this one has staged.
    progress.pending = [...others, resource];
    await onProgress(progress);
    const own = {
      ...staging,
      onCounts: (counts: FeedCounts, modified: number | null) => tell(total, counts, modified),
    };
    // Feeds of one source share its cursor: a batch of another one in between would be refused.
    const staged = await services.mutexes
      .run(`stage ${resource} ${staging.source.name}`, () => stageResource(own, resource, progress, services))
      .catch((error: unknown) => {
        if (error instanceof RecordsRejected) run.onReasons(resource, error.reasons);
        throw error;
      });
    total = sumOfCounts(total, staged);
    onCounts(total, total.modified);
    if (wasPending || staged.staged + staged.removed > 0) await publish(run, resource, services);
    progress.pending = others;
    await onProgress(progress);
  }
}

async function publish(
  { signal, requireLease, onRemoved }: FeedRun,
  resource: RecordName,
  { store, crosswalk, maxShrink, mutexes }: FeedServices,
): Promise<void> {
  // A publication reads many records. Several at a time would take all connections that the other runs need.
  const { results, removed } = await mutexes.run("publish", async () => {
    if (isAborted(signal)) throw runStopped();
    await requireLease();
    return publishGated(store, [resource], { crosswalk, maxShrink });
  });
  onRemoved(removed);
  const found = results.get(resource) ?? [];
  if (allPassed(found)) return;
  const failed = found.filter(({ passed }) => !passed).map(({ gate }) => gate);
  const losses = found.flatMap(excessiveIn).map((loss) => `: ${loss}`);
  throw new FeedError(
    `${resource}: the gate ${failed.join(", ")} is not passed${losses.join("")}. What was served before is served on: see \`cadastre gates ${resource}\``,
  );
}

/** Stages a resource of the feed. */
async function stageResource(
  run: StagingRun,
  resource: RecordName,
  progress: FeedProgress,
  services: FeedServices,
): Promise<StagedCounts> {
  if (isAborted(run.signal)) throw runStopped();
  switch (run.definition.kind) {
    case "replicate":
      return stageWebApi(run, resource, progress, services);
    case "files":
      return stageFiles(run, resource, progress, services);
    case "common-format":
      return stageDocument(run, resource, services);
  }
}
