import { extensionNames, readExtensions } from "../extensions.ts";
import { leastMemory } from "../http/memory-limits.ts";
import { rate, readBy, type Setting, trueOrFalse, wholeNumber } from "./setting.ts";

/** Settings of queries: pages, limits and what they run on. */
export const querySettings = {
  CADASTRE_PAGE_SIZE: {
    member: "pageSize",
    path: "limits.page_size",
    ...wholeNumber(1, 1000),
    default: "100",
    means: "Records of a page without `$top`, at most 1000",
  },
  CADASTRE_TOP_IS_TOTAL: {
    member: "topIsTotal",
    path: "top_is_total",
    ...trueOrFalse,
    default: "false",
    means: "Whether `$top` counts the records of all pages together: see [Pages](#pages)",
  },
  CADASTRE_EXTENSIONS: {
    member: "extensions",
    path: "extensions",
    isList: true,
    is: readBy(readExtensions),
    must: `\`none\`, or names with commas between of: ${extensionNames.join(", ")}`,
    default: "delta,expand",
    means:
      "What is offered beyond the six sets, or `none`; any of `delta`, `expand`, `search`, `compute`, `apply`, `field`, `event`: see [Extensions](#extensions)",
  },
  CADASTRE_CERTIFICATION: {
    member: "certification",
    path: "certification",
    ...trueOrFalse,
    default: "false",
    means:
      "Whether the defaults are those that RESO certification needs: see [Certification](#certification)",
  },
  CADASTRE_BATCH_REQUESTS: {
    member: "batchRequests",
    path: "limits.batch_requests",
    ...wholeNumber(1, 1000),
    default: "100",
    means: "Requests that a `$batch` may have, at most 1000",
  },
  CADASTRE_REQUESTS_PER_SECOND: {
    member: "requestsPerSecond",
    path: "limits.requests_per_second",
    ...rate,
    default: "100",
    means: "Requests of a key a second, unless its entitlement says; 0 for no limit: see [Rates](#rates)",
  },
  CADASTRE_TOKEN_LIFE: {
    member: "tokenLife",
    path: "limits.token_life",
    ...wholeNumber(1, 31_536_000),
    default: "86400",
    means: "Life of a `$skiptoken`, in seconds",
  },
  CADASTRE_DELTA_LIFE: {
    member: "deltaLife",
    path: "limits.delta_life",
    ...wholeNumber(1, 31_536_000),
    default: "604800",
    means:
      "Life of a delta link, in seconds, for which old versions of records are kept: see [Changes](#changes)",
  },
  CADASTRE_QUERY_SECONDS: {
    member: "querySeconds",
    path: "limits.query_seconds",
    ...wholeNumber(1, 3600),
    default: "10",
    means: "How long a query may take; then it is stopped, and answered with 503 `query_timeout`",
  },
  CADASTRE_READERS: {
    member: "readers",
    path: "readers",
    ...wholeNumber(1, 64),
    default: "2",
    means: "Threads that read the database",
  },
  CADASTRE_PROCESSES: {
    member: "processes",
    path: "processes",
    ...wholeNumber(1, 64),
    default: "1",
    means: "Processes that answer requests on one port: see [Processes](#processes)",
  },
  CADASTRE_CONCURRENT_QUERIES: {
    member: "concurrentQueries",
    path: "limits.concurrent_queries",
    ...wholeNumber(1, 100_000),
    default: "100",
    means:
      "Queries of a customer that run and wait at once, unless its entitlement says: see [Fair shares](#fair-shares)",
  },
  CADASTRE_SCAN_SECONDS: {
    member: "scanSeconds",
    path: "limits.scan_seconds",
    ...wholeNumber(1, 3600),
    default: "30",
    means:
      "Seconds in each minute that a customer's queries without an index may take, unless its entitlement says: see [Fair shares](#fair-shares)",
  },
  CADASTRE_MEMORY: {
    member: "memory",
    path: "memory",
    ...wholeNumber(leastMemory, 1_048_576),
    absent: "3/4 of the container's limit, else 1/4 of the machine's; 1024 at most",
    means: "Memory that the service plans with, in MB: see [Memory](#memory)",
  },
} as const satisfies Record<string, Setting>;
