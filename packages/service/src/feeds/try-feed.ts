import type { Row } from "@cadastre/odata";
import type { Catalog, RecordName } from "@cadastre/reso";
import { type BatchCheck, checkBatch } from "../ingest/check-batch.ts";
import type { Entry } from "../ingest/entry.ts";
import { formatOf } from "../ingest/format.ts";
import { PartLines, withInput } from "../ingest/input.ts";
import { mappedEntries } from "../ingest/mapped-entries.ts";
import { roundingOf } from "../ingest/rounding.ts";
import { sourceNamed } from "../ingest/sources.ts";
import type { Listings } from "../listings.ts";
import { authorizationOf } from "../replicate/authorization.ts";
import { FeedError } from "../replicate/feed-error.ts";
import { changedRecords } from "../replicate/pages.ts";
import { tryDeletions } from "../replicate/told-deletions.ts";
import type { FeedDefinition } from "./definition.ts";
import { download } from "./download.ts";
import { feedMapping, webApiRequest, webApiResource } from "./feed-request.ts";
import { sourceFiles } from "./source-files.ts";

/** A fault of some of the records that were tried. */
type TriedFault = {
  readonly code: string;
  readonly field: string | null;
  readonly reason: string;
  readonly count: number;
  /** Value of the first of them, after the mapping. Undefined: none. */
  readonly example: unknown;
};

/** Result of a trial with the first records of a resource. */
export type TriedResource = {
  readonly resource: RecordName;
  readonly read: number;
  readonly stored: number;
  readonly rejected: number;
  /** Records whose listing is not served yet, where the feed brings listings too: a run publishes those first. */
  readonly waiting: number;
  readonly faults: readonly TriedFault[];
  /** The first records after the mapping. */
  readonly records: readonly Row[];
};

export type FeedTrial = {
  readonly store: Pick<Listings, "page" | "catalog">;
  readonly crosswalk: BatchCheck["crosswalk"];
  /** Folder for what is downloaded, until the trial ends. */
  readonly folder: string;
  /** Number of records to read of each resource. */
  readonly limit: number;
  /** Called before each resource, with the resource. */
  readonly onResource?: (resource: RecordName) => void;
};

/** Number of records that are shown. */
const shownRecords = 3;

/** Reads the first records of a source, maps and checks them, and stores nothing. @throws {FeedError} */
export async function tryFeed(
  definition: FeedDefinition,
  trial: FeedTrial,
): Promise<readonly TriedResource[]> {
  const tried: TriedResource[] = [];
  for (const resource of definition.resources) tried.push(await tryResource(definition, resource, trial));
  return tried;
}

async function tryResource(
  definition: FeedDefinition,
  resource: RecordName,
  { store, crosswalk, limit, folder }: FeedTrial,
): Promise<TriedResource> {
  const entries: Entry[] = [];
  if (limit > 0)
    for await (const entry of sourceEntries(definition, resource, {
      catalog: store.catalog,
      folder,
      limit,
    }))
      entries.push(entry);
  const { records, rejects } = await checkBatch(entries, {
    store,
    resource,
    source: sourceNamed(store.catalog, definition.source),
    crosswalk,
    rounding: roundingOf(store.catalog, resource),
    seen: new Set(),
  });
  const otherwiseFaulty = new Set(
    rejects.filter(({ code }) => code !== "unknown_listing").map(({ line }) => line),
  );
  const waiting = new Set(
    definition.resources.includes("Property")
      ? rejects.map(({ line }) => line).filter((line) => !otherwiseFaulty.has(line))
      : [],
  );
  const byLine = new Map(entries.map((entry) => [entry.line, "record" in entry ? entry.record : {}]));
  const faults = new Map<string, TriedFault>();
  for (const { line, code, field, reason } of rejects) {
    if (waiting.has(line)) continue;
    const id = `${code} ${field}`;
    const example = field === null ? undefined : byLine.get(line)?.[field];
    const before = faults.get(id) ?? { code, field, reason, count: 0, example };
    faults.set(id, { ...before, count: before.count + 1, example: before.example ?? example });
  }
  return {
    resource,
    read: entries.length,
    stored: records.length,
    rejected: entries.length - records.length - waiting.size,
    waiting: waiting.size,
    faults: [...faults.values()].sort((a, b) => b.count - a.count),
    records: [...byLine.values()].slice(0, shownRecords),
  };
}

/** Yields the first entries of a source, mapped, at most `limit`. */
async function* sourceEntries(
  definition: FeedDefinition,
  resource: RecordName,
  { catalog, folder, limit }: Pick<FeedTrial, "folder" | "limit"> & { readonly catalog: Catalog },
): AsyncGenerator<Entry> {
  const { kind, location, credentials, paging = "auto" } = definition;
  const mapping = feedMapping(catalog, definition);
  const authorization = authorizationOf(credentials);
  if (kind === "replicate") {
    const name = webApiResource(resource);
    const asking = webApiRequest(definition, name, { mapping, authorization, pageSize: limit });
    let [line, pages] = [0, 0];
    for await (const records of changedRecords(asking, null, paging)) {
      pages++;
      for (const record of records.slice(0, limit - line)) yield { line: ++line, record };
      // A second page is asked for even if the first has enough records, so that a trial fails where a run would.
      if (line >= limit && pages > 1) break;
    }
    const { deletions } = definition;
    if (deletions === "delta" || deletions === "events") await tryDeletions(deletions, asking);
    return;
  }
  const place = location.replaceAll("{resource}", resource);
  let file: string | undefined;
  if (kind === "files") {
    file = (await sourceFiles(place))[0]?.target;
    if (file === undefined) throw new FeedError(`no file matches ${place}`);
  } else {
    file = `${folder}/${resource}`;
    await download({ url: place, file, authorization, signal: AbortSignal.timeout(600_000) });
  }
  const entries = await withInput(file, folder, async (input) => {
    const format = kind === "common-format" ? "common" : formatOf(input);
    return new PartLines(input).entries((content) =>
      mappedEntries(content, { format, catalog, resource, mapping }),
    );
  });
  let count = 0;
  for await (const entry of entries) {
    yield entry;
    if (++count >= limit) return;
  }
}
