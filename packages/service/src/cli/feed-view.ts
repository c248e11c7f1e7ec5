import { relativeTime } from "@cadastre/client/terminal";
import type { FeedRecord } from "@cadastre/store/registry";
import { definitionOf, type FeedDefinition, progressOf } from "../feeds/definition.ts";

/** Returns the state of a feed in one word. */
function stateOf({ paused, leased, failures }: FeedRecord, now: number): string {
  if (leased > now) return "running";
  if (paused) return "paused";
  return failures > 0 ? "failing" : "waiting";
}

/** Returns the address of a feed without its query, which may have a secret. */
export function locationText({ kind, location }: Pick<FeedDefinition, "kind" | "location">): string {
  if (kind === "files" || !URL.canParse(location)) return location;
  return location.split("?", 1).join("");
}

const instant = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());

/** Returns a feed in JSON form. */
export function feedJson(feed: FeedRecord, now: number) {
  const { mapping, location, ...definition } = definitionOf(feed);
  return {
    name: feed.name,
    state: stateOf(feed, now),
    ...definition,
    location: locationText({ kind: definition.kind, location }),
    mapping: mapping?.file ?? null,
    deletionsFrom: Object.fromEntries(
      Object.entries(progressOf(feed).deletions).map(([resource, { from }]) => [resource, from]),
    ),
    lastRun: instant(feed.lastEnd),
    lastSuccess: instant(feed.lastSuccess),
    nextRun: feed.paused ? null : instant(feed.due),
    lastError: feed.lastError,
    failures: feed.failures,
    ...feed.counts,
    newest: instant(feed.modified),
    lagSeconds: feed.modified === null ? null : Math.max(0, Math.round((now - feed.modified) / 1000)),
  };
}

export const feedRowHeads = [
  "FEED",
  "STATE",
  "LAST RUN",
  "NEXT RUN",
  "READ",
  "STAGED",
  "REJECTED",
  "NEWEST RECORD",
  "FAILURES",
  "LAST ERROR",
];

/** Returns the cells of a feed in the table of feeds. */
export const feedRow = (feed: FeedRecord, now: number): readonly string[] => [
  feed.name,
  stateOf(feed, now),
  feed.lastEnd === null ? "never" : relativeTime(feed.lastEnd, now),
  nextRunText(feed, now),
  String(feed.counts.read),
  String(feed.counts.staged),
  String(feed.counts.rejected),
  feed.modified === null ? "" : relativeTime(feed.modified, now),
  String(feed.failures),
  feed.lastError?.split("\n", 1).join("") ?? "",
];

function nextRunText({ paused, due }: FeedRecord, now: number): string {
  if (paused) return "";
  return due <= now ? "due" : relativeTime(due, now);
}
