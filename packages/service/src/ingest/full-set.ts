import { keyFieldOf, type RecordName } from "@cadastre/reso";
import type { Builds } from "@cadastre/store";
import type { Listings } from "../listings.ts";
import type { Format } from "./format.ts";
import { IngestError } from "./ingest-error.ts";
import { type Input, PartLines } from "./input.ts";
import { mappedEntries } from "./mapped-entries.ts";
import type { SourceMapping } from "./mapping.ts";
import { describeSet, exceeds, lossText } from "./set-loss.ts";
import type { Source } from "./sources.ts";

type FullSet = {
  readonly store: Pick<Listings, "builds" | "catalog">;
  readonly resource: RecordName;
  readonly source: Source;
  readonly input: Input;
  readonly format: Format;
  readonly mapping?: SourceMapping | undefined;
  /** Percentage of the source's records that the set may leave out. */
  readonly maxShrink: number;
};

/**
 * Checks, before anything is staged, that a full set does not lack too many of the source's records. Reads all of its keys into memory.
 *
 * @throws {IngestError} if the set lacks more of the source's records than `maxShrink` percent
 */
export async function requireEnough({
  store,
  resource: name,
  source,
  input,
  format,
  mapping,
  maxShrink,
}: FullSet): Promise<void> {
  const { builds, catalog } = store;
  const [first] = await builds.keys(name, source.name);
  if (first === undefined) return;
  const key = keyFieldOf(name);
  const named = new Set<string>();
  for await (const entry of new PartLines(input).entries((content) =>
    mappedEntries(content, { format, catalog, resource: name, mapping }),
  ))
    if ("record" in entry && typeof entry.record[key] === "string") named.add(entry.record[key]);
  // A file without any key is refused later, with its own error.
  if (named.size === 0) return;
  const loss = { before: 0, removed: 0 };
  for await (const keys of ownKeys(builds, name, source.name)) {
    loss.before += keys.length;
    loss.removed += keys.filter((one) => !named.has(one)).length;
  }
  if (exceeds(loss, maxShrink))
    throw new IngestError(
      `${lossText(describeSet(name, source.name), loss, maxShrink)}. Nothing of ${input.name} is staged. To remove these records, ingest it with --allow-shrink`,
    );
}

/**
 * Stages a full set without a record, whose publication deletes all records of the source. Returns false if the source has none.
 *
 * @param cursor position of the source after the set
 * @throws {IngestError} if more would be deleted than `maxShrink` percent
 */
export async function stageEmptySet({
  store: { builds },
  resource,
  source: { name },
  maxShrink,
  cursor,
}: Pick<FullSet, "store" | "resource" | "source" | "maxShrink"> & {
  readonly cursor: string;
}): Promise<boolean> {
  let before = 0;
  for await (const keys of ownKeys(builds, resource, name)) before += keys.length;
  if (before === 0) return false;
  const loss = { before, removed: before };
  if (exceeds(loss, maxShrink))
    throw new IngestError(
      `${lossText(describeSet(resource, name), loss, maxShrink)}. To remove these records, add --allow-shrink`,
    );
  await builds.stage(resource, name, [], { cursor, fullSet: "whole" });
  return true;
}

/** Yields the keys of a source's records, staged changes applied, in groups. */
export async function* ownKeys(
  builds: Pick<Builds, "keys">,
  resource: string,
  source: string,
): AsyncGenerator<readonly string[]> {
  for (let after: readonly unknown[] | undefined; ; ) {
    const keys = await builds.keys(resource, source, after);
    if (keys.length === 0) return;
    yield keys.map(([key]) => String(key));
    after = keys.at(-1);
  }
}
