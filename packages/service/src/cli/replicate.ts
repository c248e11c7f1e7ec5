import { defaultRetryPolicy } from "@cadastre/client/http";
import { type ResourceName, resourceNames } from "@cadastre/reso";
import { Command } from "commander";
import { maxTop } from "../catalog.ts";
import { endSample } from "../data/notes.ts";
import { rejectLimit } from "../ingest/reject-limit.ts";
import { rejectsEnding } from "../ingest/rejects.ts";
import { type RoundingChoice, roundingOf } from "../ingest/rounding.ts";
import { sourceNamed } from "../ingest/sources.ts";
import { authorizationOf } from "../replicate/authorization.ts";
import type { DeletionChoice } from "../replicate/deletion-choice.ts";
import { type FeedOptions, feedOf } from "../replicate/feed.ts";
import type { FeedRequest } from "../replicate/fetch-feed.ts";
import { type FeedReport, type Replication, replicateFeed } from "../replicate/replicate.ts";
import { type DeletionPlan, planDeletions, stageDeletions } from "../replicate/stage-deletions.ts";
import { sampleWarning, withServiceStore } from "./data.ts";
import { type CredentialOptions, credentialsOf, withCredentialOptions } from "./feed-credentials.ts";
import { printMessage, printResult } from "./outcome.ts";
import { counted, number, showItemProgress } from "./progress.ts";
import { reasonsText, withReasons } from "./reject-reasons.ts";
import {
  allowShrinkOption,
  deletionsOption,
  exactOption,
  maxRejectsOption,
  noteSummary,
  parseRowCount,
  resourceOption,
  roundOption,
  sourceOption,
  stagingJsonOption,
  unseenDeletions,
} from "./staging-options.ts";

type Options = CredentialOptions &
  RoundingChoice &
  Pick<FeedOptions, "filter" | "select"> & {
    readonly resource: ResourceName;
    readonly source: string;
    readonly full?: true;
    readonly deletions?: DeletionChoice;
    readonly rejects?: string;
    readonly maxRejects?: number;
    readonly allowShrink?: boolean;
    readonly tries: number;
    readonly timeout: number;
    readonly json?: true;
  };

/** `cadastre replicate <url>` */
export const stageFeedCommand = (): Command =>
  withCredentialOptions(new Command("replicate"))
    .description(
      "Stage what another RESO Web API has changed since the last time. `cadastre publish` serves it.",
    )
    .argument("<url>", "address of its service document")
    .addOption(resourceOption(resourceNames))
    .addOption(sourceOption())
    .option("--filter <filter>", "`$filter` that every record must pass")
    .option("--select <fields>", "`$select` of the records, for a feed with fields that are not known here")
    .option("--full", "compare the keys as well: records that the feed has no more are deleted")
    .addOption(deletionsOption())
    .option(
      "--rejects <file>",
      "where to write what is not taken (default: <resource>.<source>.rejects.jsonl)",
    )
    .addOption(maxRejectsOption())
    .addOption(allowShrinkOption())
    .addOption(roundOption())
    .addOption(exactOption())
    .option("--tries <count>", "times that a page is asked for", parseRowCount, defaultRetryPolicy.tries)
    .option(
      "--timeout <seconds>",
      "time that a page may take",
      parseRowCount,
      defaultRetryPolicy.timeout / 1000,
    )
    .addOption(stagingJsonOption())
    .action((url: string, options: Options) =>
      withServiceStore(async (store, folder, { identities: crosswalk }, config) => {
        const { resource, source, full = false, deletions = "none" } = options;
        const rejects = options.rejects ?? `${resource}.${source}${rejectsEnding}`;
        const asking = askingOf(url, options);
        if (await endSample(store)) printMessage(sampleWarning(folder));
        const from = { resource, source: sourceNamed(store.catalog, source), asking };
        const rounding = roundingOf(store.catalog, resource, options);
        const maxShrink = options.allowShrink ? 100 : config.maxShrink;
        const limits = { rejectLimit: rejectLimit(options.maxRejects), maxShrink };
        const task = { store, crosswalk, ...from, rounding, rejects, ...limits };
        const plan = await planDeletions(deletions, full, { store, ...from, maxShrink });
        // Not the default: a comparison of keys would delete what comes of the same source in other ways.
        if (plan.by === "none" && options.deletions === undefined && !options.json)
          printMessage(unseenDeletions(deletionsAdvice));
        const staged = await withProgress((onProgress) =>
          withReasons(options, () => replicateFeed({ ...task, full: plan.compares, onProgress })),
        );
        const removed = staged.removed + (await stageDeletions(plan, { store, ...from, maxShrink }));
        const report = { ...staged, removed };
        if (options.json)
          return printResult(JSON.stringify({ resource, source, ...report, rejects, deletions: plan.by }));
        printMessage(summary(report, rejects, plan.by));
      }),
    );

function askingOf(url: string, options: Options): FeedRequest {
  const { resource, filter, select, tries, timeout } = options;
  const authorization = authorizationOf(credentialsOf(options));
  return {
    feed: feedOf(url, resource, { filter, select }, authorization !== undefined),
    authorization,
    pageSize: maxTop,
    retryPolicy: { ...defaultRetryPolicy, tries, timeout: timeout * 1000 },
    onRetry: (reason, pause) => printMessage(`  ${reason}: again in ${(pause / 1000).toFixed(1)} s`),
  };
}

/** Shows progress by time: the position of the latest `ModificationTimestamp` between that of the first record and now. */
async function withProgress<T>(work: (onProgress: Replication["onProgress"]) => Promise<T>): Promise<T> {
  const now = Date.now();
  const progress = showItemProgress(1);
  let first: number | undefined;
  try {
    return await work((modified, { read }) => {
      first ??= modified;
      progress.at(Math.min(1, (modified - first) / Math.max(1, now - first)), read);
    });
  } finally {
    progress.end();
  }
}

const deletionsAdvice =
  "`--deletions auto` finds it, by comparing all keys if the source has neither delta links nor EntityEvent; `--deletions none` accepts it.";

/** How deletions were found, in words. */
const deletionWords: Readonly<Record<DeletionPlan["by"], string>> = {
  delta: " Deletions are found by delta links.",
  events: " Deletions are found by EntityEvent.",
  keys: " Deletions are found by comparing all keys.",
  none: "",
};

function summary(report: FeedReport, rejects: string, by: DeletionPlan["by"]): string {
  const { read, staged, rejected, removed, since } = report;
  const gone = removed === 0 ? "" : ` and the removal of ${number(removed)}`;
  const refused =
    rejected === 0
      ? ""
      : ` Rejected ${counted(rejected, "record")}: see ${rejects}.\n${reasonsText(report.reasons)}`;
  const next = since === null ? "" : ` The next time begins at ${since}.`;
  return `Read ${counted(read, "record")}; staged ${number(staged)}${gone}.${noteSummary(report)}${next}${deletionWords[by]}${refused}`;
}
