import { isRecord, type JsonObject } from "./json.ts";
import { requestJson } from "./request.ts";

/** System query options of a collection, by name with its `$`. Empty texts are left out. */
export type SystemOptions = Readonly<Record<string, string>>;

/** One page of a collection. */
export type CollectionPage = {
  readonly records: readonly JsonObject[];
  readonly count: number | undefined;
  /** Path of the next page. Undefined: this is the last one. */
  readonly next: string | undefined;
};

const root = "reso/odata";

/** Returns the path of a collection with its options, spaces as `%20`. */
export function collectionPath(entitySet: string, options: SystemOptions): string {
  const query = Object.entries(options).flatMap(([name, value]) =>
    value === "" ? [] : [`${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`],
  );
  return `${root}/${entitySet}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** Returns the path of one record. */
export const recordPath = (entitySet: string, key: string): string =>
  `${root}/${entitySet}(${encodeURIComponent(`'${key.replaceAll("'", "''")}'`)})`;

export const metadataPath = `${root}/$metadata?$format=json`;
export const serviceDocumentPath = root;

/** Reads the link by its path: behind a proxy the host may be another one. The path of the page comes first in it. */
function nextPathOf(link: unknown): string | undefined {
  if (typeof link !== "string") return undefined;
  const at = link.indexOf(`/${root}/`);
  return at < 0 ? undefined : link.slice(at + 1);
}

/** Requests one page: of a collection, or the one that a page before named. */
export async function requestPage(
  path: string,
  apiKey: string,
  signal: AbortSignal | undefined,
): Promise<CollectionPage> {
  const body = await requestJson({ path, apiKey, signal });
  const answer = isRecord(body) ? body : {};
  const value = answer["value"];
  const count = answer["@odata.count"];
  return {
    records: Array.isArray(value) ? value.filter(isRecord) : [],
    count: count === undefined ? undefined : Number(count),
    next: nextPathOf(answer["@odata.nextLink"]),
  };
}

/** Returns the number of records that a filter matches. */
export async function requestCount(
  entitySet: string,
  filter: string,
  apiKey: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  const path = collectionPath(entitySet, { $filter: filter, $count: "true", $top: "0" });
  return (await requestPage(path, apiKey, signal)).count ?? 0;
}
