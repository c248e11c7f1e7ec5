import { rm } from "node:fs/promises";
import type { RecordName } from "@cadastre/reso";
import { rejectLimit } from "../ingest/reject-limit.ts";
import { roundingOf } from "../ingest/rounding.ts";
import { feedId } from "../replicate/feed.ts";
import { replicateFeed } from "../replicate/replicate.ts";
import { deletionSourceOf, removeDeleted } from "../replicate/told-deletions.ts";
import type { FeedProgress } from "./definition.ts";
import { webApiRequest, webApiResource } from "./feed-request.ts";
import {
  type FeedServices,
  rejectsFile,
  type StagedCounts,
  type StagingRun,
  usualMaxRejects,
} from "./staging-run.ts";

/** Stages what a Web API has changed and deleted of a resource. */
export async function stageWebApi(
  run: StagingRun,
  resource: RecordName,
  progress: FeedProgress,
  services: FeedServices,
): Promise<StagedCounts> {
  const { feed, definition, source, mapping, authorization, signal, onCounts } = run;
  const name = webApiResource(resource);
  const started = services.now();
  const { fullEvery, maxRejects, paging = "auto" } = definition;
  const isDue = fullEvery !== undefined && (progress.full[resource] ?? 0) + fullEvery <= started;
  const rejects = rejectsFile(services, feed, resource);
  await rm(rejects, { force: true });
  const asking = webApiRequest(definition, name, { mapping, authorization, signal });
  const task = {
    store: services.store,
    resource: name,
    source,
    asking,
    paging,
    maxShrink: services.maxShrink,
  };
  const known = progress.deletions[resource];
  const choice = definition.deletions ?? "none";
  const deletions = await deletionSourceOf(choice, known?.from, asking);
  const id = feedId(asking.feed, deletions ?? "");
  const position = known?.feed === id ? known.position : undefined;
  // Without a position, the keys are compared when the deletions are read.
  const full = choice === "keys" || (isDue && (deletions === undefined || position !== undefined));
  const report = await replicateFeed({
    ...task,
    crosswalk: services.crosswalk,
    full,
    latest: progress.latest[resource],
    rounding: roundingOf(services.store.catalog, resource),
    rejects,
    rejectLimit: rejectLimit(maxRejects, usualMaxRejects),
    onProgress: (modified, counts) => onCounts(counts, modified),
  });
  run.onReasons(resource, report.reasons);
  const { latest } = report;
  if (latest !== undefined)
    progress.latest = { ...progress.latest, [resource]: { ...latest, hashes: [...latest.hashes] } };
  if (isDue) progress.full = { ...progress.full, [resource]: started };
  const modified = report.since === null ? null : Date.parse(report.since);
  if (deletions === undefined) return { ...report, modified };
  const told = await removeDeleted(deletions, position, task);
  progress.deletions = {
    ...progress.deletions,
    [resource]: { feed: id, position: told.position, from: deletions },
  };
  return { ...report, removed: report.removed + told.removed, modified };
}
