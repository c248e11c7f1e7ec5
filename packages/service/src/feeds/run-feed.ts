import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type RecordName, recordNames } from "@cadastre/reso";
import type { FeedCounts, FeedRecord } from "@cadastre/store/registry";
import type { DataFolder } from "../data/data-folder.ts";
import { endSample } from "../data/notes.ts";
import { allPassed, publishGated } from "../gates/publication.ts";
import { excessiveIn } from "../gates/shrink.ts";
import { acceptedValuesHash } from "../ingest/accepted-values.ts";
import type { BatchCheck } from "../ingest/check-batch.ts";
import { formatOf } from "../ingest/format.ts";
import { ingest } from "../ingest/ingest.ts";
import { withInput } from "../ingest/input.ts";
import type { SourceMapping } from "../ingest/mapping.ts";
import { rejectLimit } from "../ingest/reject-limit.ts";
import { RecordsRejected, type RejectReason } from "../ingest/reject-reasons.ts";
import { rejectsEnding } from "../ingest/rejects.ts";
import { roundingOf } from "../ingest/rounding.ts";
import { type Source, sourceNamed } from "../ingest/sources.ts";
import type { Listings } from "../listings.ts";
import { isAborted, runStopped } from "../replicate/abort.ts";
import { authorizationOf, type FeedAuthorization } from "../replicate/authorization.ts";
import { feedId } from "../replicate/feed.ts";
import { FeedError } from "../replicate/feed-error.ts";
import { latestAnyOrder } from "../replicate/modification-times.ts";
import { replicateFeed } from "../replicate/replicate.ts";
import { removeDeleted } from "../replicate/told-deletions.ts";
import { definitionOf, type FeedDefinition, type FeedProgress, progressOf } from "./definition.ts";
import { download } from "./download.ts";
import { feedMapping, webApiRequest, webApiResource } from "./feed-request.ts";
import type { Mutexes } from "./mutexes.ts";
import { sourceFiles } from "./source-files.ts";

/** Services that a run of a feed uses. */
export type FeedServices = {
  readonly store: Listings;
  readonly crosswalk: BatchCheck["crosswalk"];
  readonly folder: Pick<DataFolder, "path">;
  /** Percentage of the source's records that a run may remove. */
  readonly maxShrink: number;
  /** Mutexes of the runs of this process. */
  readonly mutexes: Mutexes;
  readonly now: () => number;
};

/** One run of a feed. */
export type FeedRun = {
  readonly feed: FeedRecord;
  /** Ends the run after the page or batch in progress. */
  readonly signal: AbortSignal;
  /** Records the progress. @throws {FeedError} if the lease of the feed is void */
  readonly onProgress: (progress: FeedProgress) => Promise<void>;
  /** Checks the lease before a publication. @throws {FeedError} if it is void */
  readonly requireLease: () => Promise<void>;
  /** Called with the counts of the run so far, those of a run that fails as well. */
  readonly onCounts: (counts: FeedCounts, modified: number | null) => void;
  /** Called with the reasons why records of a resource were rejected, those of a run that fails as well. */
  readonly onReasons: (resource: RecordName, reasons: readonly RejectReason[]) => void;
  /** Called after each publication with the number of records that it has removed. */
  readonly onRemoved: (records: number) => void;
};

/** A run with what its definition names, which is read once: an OAuth token serves all requests of the run. */
type StagingRun = FeedRun & {
  readonly definition: FeedDefinition;
  readonly source: Source;
  readonly mapping: SourceMapping | undefined;
  readonly authorization: FeedAuthorization | undefined;
};

/** Counts of a step: records read, staged, rejected and removed, and the newest `ModificationTimestamp`. */
type StagedCounts = FeedCounts & { readonly removed: number; readonly modified: number | null };

const nothing: StagedCounts = { read: 0, staged: 0, rejected: 0, removed: 0, modified: null };

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
  let total = nothing;
  const tell = (before: StagedCounts, { read, staged, rejected }: FeedCounts, modified: number | null) => {
    const now = sum(before, { read, staged, rejected, removed: 0, modified });
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
    total = sum(total, staged);
    onCounts(total, total.modified);
    if (wasPending || staged.staged + staged.removed > 0) await publish(run, resource, services);
    progress.pending = others;
    await onProgress(progress);
  }
}

const sum = (a: StagedCounts, b: StagedCounts): StagedCounts => ({
  read: a.read + b.read,
  staged: a.staged + b.staged,
  rejected: a.rejected + b.rejected,
  removed: a.removed + b.removed,
  modified: latest(a.modified, b.modified),
});

const latest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);

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

/** Maximum number of rejected records of a run, unless the feed has another: a hostile source must not fill the disk with rejects. */
const usualMaxRejects = 100_000;

const rejectsFile = ({ folder }: FeedServices, { name }: FeedRecord, resource: string): string =>
  join(folder.path, "feeds", `${name}.${resource}${rejectsEnding}`);

async function stageWebApi(
  run: StagingRun,
  resource: RecordName,
  progress: FeedProgress,
  services: FeedServices,
): Promise<StagedCounts> {
  const { feed, definition, source, mapping, authorization, signal, onCounts } = run;
  const name = webApiResource(resource);
  const started = services.now();
  const { fullEvery, maxRejects, paging = "auto", deletions } = definition;
  const full = fullEvery !== undefined && (progress.full[resource] ?? 0) + fullEvery <= started;
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
  if (full) progress.full = { ...progress.full, [resource]: started };
  const modified = report.since === null ? null : Date.parse(report.since);
  if (deletions === undefined) return { ...report, modified };
  const id = feedId(asking.feed, deletions);
  const known = progress.deletions[resource];
  const told = await removeDeleted(deletions, known?.feed === id ? known.position : undefined, task);
  progress.deletions = { ...progress.deletions, [resource]: { feed: id, position: told.position } };
  return { ...report, removed: report.removed + told.removed, modified };
}

async function stageFiles(
  run: StagingRun,
  resource: RecordName,
  progress: FeedProgress,
  services: FeedServices,
): Promise<StagedCounts> {
  const { feed, definition, source, mapping, signal, onProgress } = run;
  const { location } = definition;
  await rm(rejectsFile(services, feed, resource), { force: true });
  const accepted = acceptedValuesHash(services.store.catalog, resource, source);
  let total = nothing;
  for (const { path, target, version: content } of await sourceFiles(
    location.replaceAll("{resource}", resource),
  )) {
    const id = `${resource} ${path}`;
    const version = [content, accepted, mapping?.sha256 ?? ""].join(" ");
    if (progress.files[id] === version) continue;
    if (isAborted(signal)) throw runStopped();
    total = sum(total, await stageFile(run, resource, services, target));
    progress.files = { ...progress.files, [id]: version };
    await onProgress(progress);
  }
  return total;
}

async function stageDocument(
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
