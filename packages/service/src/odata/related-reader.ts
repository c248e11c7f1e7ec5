import { type RestrictedQuery, restrict, type Scope } from "@cadastre/entitlement";
import type { BoundQuery } from "@cadastre/odata";
import type { PageRead } from "@cadastre/server/parts";
import type { Bookmark } from "@cadastre/store";
import { mostRelated, type RelatedReader, tooManyRelated } from "./expansion.ts";
import { refusePaths } from "./related-sets.ts";
import type { SourceCaller, SourceServices } from "./source-services.ts";

/** Restricts a query to what a scope grants. @throws {QueryError} `not_supported` for a path to related records */
export function restrictRecords(query: BoundQuery, scope: Scope): RestrictedQuery {
  try {
    return restrict(query, scope);
  } catch (error) {
    refusePaths(query);
    throw error;
  }
}

/** Records that are read at once, of those that an item of `$expand` leads to. */
const relatedPage = 1000;

/**
 * Returns a reader of related records.
 *
 * @param read `asOf`: checkpoint to read as of; undefined for the current state
 * @throws {QueryError} `query_too_complex` if they are too many
 */
export const relatedReader =
  (
    { store }: Pick<SourceServices, "store">,
    { scope, stages }: SourceCaller,
    { nulls, signal, asOf }: Pick<PageRead, "nulls" | "signal"> & { readonly asOf?: number | undefined },
  ): RelatedReader =>
  async (query) => {
    const restricted = stages.time("restrict", () => restrictRecords({ ...query, top: relatedPage }, scope));
    const records: string[] = [];
    let from: Bookmark | undefined;
    do {
      const page = await stages.timeAsync(
        "run",
        (within) => store.page(restricted, { lines: true, nulls, from, asOf, signal, stages: within }),
        { entitySet: query.entitySet.name },
      );
      records.push(...linesOf(page.records));
      page.release?.();
      from = page.next ?? undefined;
      if (records.length > mostRelated) throw tooManyRelated();
    } while (from !== undefined);
    return records;
  };

/** Splits a page that has each record on a line. */
export const linesOf = (records: Uint8Array): readonly string[] =>
  Buffer.from(records.buffer, records.byteOffset, records.byteLength).toString().split("\n").slice(0, -1);
