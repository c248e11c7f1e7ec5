import { defaultRetryPolicy } from "@cadastre/client/http";
import { type Catalog, type ResourceName, resourceNames } from "@cadastre/reso";
import { maxTop } from "../catalog.ts";
import type { SourceMapping } from "../ingest/mapping.ts";
import { parseMapping } from "../ingest/mapping-file.ts";
import type { FeedAuthorization } from "../replicate/authorization.ts";
import { feedOf } from "../replicate/feed.ts";
import { FeedError } from "../replicate/feed-error.ts";
import type { FeedRequest } from "../replicate/fetch-feed.ts";
import type { FeedDefinition } from "./definition.ts";

/** Returns the mapping of a feed. @throws {IngestError} if the service has no longer a field that it names */
export const feedMapping = (catalog: Catalog, { mapping }: FeedDefinition): SourceMapping | undefined =>
  mapping && parseMapping(catalog, mapping.text, mapping.file);

/** @throws {FeedError} for a resource that a RESO Web API does not have */
export function webApiResource(name: string): ResourceName {
  const found = resourceNames.find((one) => one === name);
  if (found === undefined)
    throw new FeedError(`${name} is no resource of a RESO Web API: allowed are ${resourceNames.join(", ")}`);
  return found;
}

/** Returns the request for a resource of a feed of the kind `replicate`. */
export const webApiRequest = (
  definition: FeedDefinition,
  resource: ResourceName,
  more: {
    readonly mapping: SourceMapping | undefined;
    readonly authorization: FeedAuthorization | undefined;
    readonly signal?: AbortSignal;
    readonly onRetry?: FeedRequest["onRetry"];
    readonly pageSize?: number;
  },
): FeedRequest => {
  const { location, filter, select } = definition;
  const { mapping, authorization, signal, onRetry = () => {}, pageSize = maxTop } = more;
  return {
    feed: feedOf(location, resource, { filter, select, mapping }, authorization !== undefined),
    pageSize,
    retryPolicy: defaultRetryPolicy,
    onRetry,
    authorization,
    signal,
  };
};
