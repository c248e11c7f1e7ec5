import { z } from "zod";
import { toGivenDocument } from "./data/given-document.ts";
import { toMasterKeys } from "./data/master-key.ts";
import { toBucketPlace } from "./delivery/bucket-place.ts";
import { toOrigins } from "./http/cross-origin.ts";
import { toTrustedProxies } from "./http/trusted-proxies.ts";
import { samplers } from "./telemetry/tracing-options.ts";

/** Least memory of a process, in megabytes. */
export const leastMemory = 256;

/** A setting of the service, given as text. */
export type Setting = {
  /** Its name in `Config`. */
  readonly member: string;
  readonly is: z.ZodType<unknown, string>;
  /** Description of valid values, to follow "must be". */
  readonly must: string;
  readonly means: string;
  /** True if no message may quote the value. */
  readonly isSecret?: true;
} & (
  | { readonly default: string }
  /** Description of the default, if it is not a fixed text. */
  | { readonly absent: string }
);

/** Returns the check for a whole number between two bounds, and its description. */
const whole = (least: number, greatest: number, zero?: string) => ({
  is: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= greatest),
  must: `a whole number from ${least} to ${greatest}${zero === undefined ? "" : ` (0: ${zero})`}`,
});

const trueOrFalse = {
  is: z.enum(["true", "false"]).transform((value) => value === "true"),
  must: "true or false",
};

/** Returns a schema that parses a text with `read` and rejects it if the result is undefined. */
const readBy = <T>(read: (text: string) => T | undefined) =>
  z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: "not read" });
    return z.NEVER;
  });

const port = whole(0, 65_535, "any free port");
const rate = whole(0, 1_000_000, "no limit");
const host = { is: z.string().regex(/^[\w.:-]{1,255}$/), must: "a host name or an IP address" };
const text = (must: string) => ({ is: z.string(), must });

/** Description of a valid master key, to follow "must be". */
export const masterKeyForm = "32 bytes as base64 or hexadecimal, such as `openssl rand -base64 32` prints";

const isBaseUrl = (given: string) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
};

const isPostgresUrl = (given: string) => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  return url !== undefined && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1;
};

function toPostgresUrls(given: string): readonly string[] | undefined {
  const urls = given.split(",").map((url) => url.trim());
  return urls.every(isPostgresUrl) ? urls : undefined;
}

const isCollectorUrl = (given: string) => isBaseUrl(given) && new URL(given).username === "";

/** Reads `name=value,name=value`, with percent-encoded values. Source: OpenTelemetry, "Environment Variable Specification". */
function toPairs(given: string): ReadonlyMap<string, string> | undefined {
  const pairs = given.split(",").map((pair) => /^\s*([!-+\--<>-~]+)\s*=([ -~]*)$/.exec(pair));
  try {
    return new Map(pairs.map((pair) => [pair?.[1] ?? "", decodeURIComponent(pair?.[2]?.trim() ?? "")]));
  } catch {
    return undefined;
  }
}

function isHeaders(named: ReadonlyMap<string, string>): boolean {
  try {
    return new Headers([...named]) instanceof Headers;
  } catch {
    return false;
  }
}

const collectorUrl = {
  is: z.string().refine(isCollectorUrl),
  must: "an http or https address without a query and without a user",
};
const pairs = {
  is: readBy(toPairs).refine((read) => !read.has("")),
  must: "`name=value` pairs with commas between, and percent-encoded values",
};

const headers = {
  is: pairs.is.refine(isHeaders),
  must: `${pairs.must}, that are names and values of headers`,
};

/** Every setting, by its name in the environment and in the settings file. */
export const settings = {
  PORT: { member: "port", ...port, default: "8080", means: "Port to listen on; 0 takes any free one" },
  HOST: {
    member: "host",
    ...host,
    default: "127.0.0.1",
    means: "Address to listen on; 0.0.0.0 for all",
  },
  CADASTRE_ADMIN_PORT: {
    member: "adminPort",
    ...port,
    absent: "none",
    means: "Port of `/metrics`: see [Metrics](#metrics); 0 takes any free one",
  },
  CADASTRE_ADMIN_HOST: {
    member: "adminHost",
    ...host,
    default: "127.0.0.1",
    means: "Address that `/metrics` listens on",
  },
  CADASTRE_DATA: {
    member: "dataFolder",
    ...text("the path of a folder"),
    default: ".data",
    means: "Folder of the databases, the secrets and `demo.json`",
  },
  CADASTRE_DATABASE_URL: {
    member: "databaseUrl",
    is: z.string().refine(isPostgresUrl),
    must: "an address such as `postgres://user:password@host:5432/database`",
    isSecret: true,
    absent: "none",
    means:
      "PostgreSQL database of the listings and the registry, in place of files in the folder: see [PostgreSQL](#postgresql)",
  },
  CADASTRE_READ_URLS: {
    member: "readUrls",
    is: readBy(toPostgresUrls),
    must: "addresses such as `postgres://user:password@host:5432/database`, with commas between",
    absent: "none",
    means: "Standbys of that database to read from, with commas between: see [Replicas](#replicas)",
  },
  CADASTRE_DATABASE_CONNECTIONS: {
    member: "databaseConnections",
    ...whole(2, 1000),
    default: "8",
    means:
      "Connections of a process that read a PostgreSQL server, a quarter of them for scans: see [PostgreSQL](#postgresql)",
  },
  CADASTRE_DATABASE_STATEMENTS: {
    member: "databaseStatements",
    is: z.enum(["named", "unnamed"]),
    must: "named or unnamed",
    default: "named",
    means: "`unnamed` behind a pooler that does not follow named statements: see [PostgreSQL](#postgresql)",
  },
  CADASTRE_MASTER_KEY_FILE: {
    member: "masterKeyFile",
    ...text("the path of a file with a master key"),
    absent: "none",
    means:
      "File of the key that seals secrets in the registry, instead of files in the folder: see [Secrets](#secrets)",
  },
  CADASTRE_MASTER_KEY: {
    member: "masterKey",
    is: readBy(toMasterKeys),
    must: masterKeyForm,
    isSecret: true,
    absent: "none",
    means: "That key itself, in place of a file",
  },
  CADASTRE_SECRETS: {
    member: "secrets",
    is: z.string().transform(toGivenDocument),
    must: "the path of a file of secrets, or its JSON text",
    isSecret: true,
    absent: "`secrets.json` of the data folder",
    means: "Peppers of the keys and the key of skip tokens: a file, or its text: see [Secrets](#secrets)",
  },
  CADASTRE_LISTINGS: {
    member: "listings",
    ...whole(0, 10_000_000, "start without listings"),
    default: "20000",
    means:
      "Sample listings to make in an empty folder; 0 starts without any: see [the first start](#the-first-start)",
  },
  CADASTRE_KEY_SET: {
    member: "keySet",
    ...text("the path or the address of a JWKS"),
    absent: "`public-keys.json` of the data folder",
    means: "JWKS that entitlements are verified with: a file, or an `https` address",
  },
  CADASTRE_ISSUER: {
    member: "issuer",
    ...text("the `iss` of the entitlements"),
    absent: "the demo's",
    means: "`iss` of the entitlements",
  },
  CADASTRE_AUDIENCE: {
    member: "audience",
    ...text("the `aud` of the entitlements"),
    absent: "the demo's",
    means: "`aud` of the entitlements: what the issuer calls this service",
  },
  CADASTRE_BASE_URL: {
    member: "baseUrl",
    is: z
      .string()
      .refine(isBaseUrl)
      .transform((url) => url.replace(/\/+$/, "")),
    must: "an http or https address without a query",
    absent: "that of the request",
    means: "Address of the service as clients see it, for every link",
  },
  CADASTRE_TRUST_PROXY: {
    member: "trustProxy",
    is: readBy(toTrustedProxies),
    must: "a number of proxies, or addresses and networks such as `loopback,10.0.0.0/8`",
    absent: "none",
    means: "Proxies that are believed on the client's scheme and host: see [Links](#links)",
  },
  CADASTRE_CORS_ORIGINS: {
    member: "corsOrigins",
    is: readBy(toOrigins),
    must: "`*`, or origins such as `https://app.example` with commas between",
    absent: "none",
    means:
      "Origins of pages whose scripts may ask, with commas between; `*` for all: see [Methods](#methods)",
  },
  CADASTRE_PAGE_SIZE: {
    member: "pageSize",
    ...whole(1, 1000),
    default: "100",
    means: "Records of a page without `$top`, at most 1000",
  },
  CADASTRE_TOP_IS_TOTAL: {
    member: "topIsTotal",
    ...trueOrFalse,
    default: "false",
    means: "Whether `$top` counts the records of all pages together: see [Pages](#pages)",
  },
  CADASTRE_BATCH_REQUESTS: {
    member: "batchRequests",
    ...whole(1, 1000),
    default: "100",
    means: "Requests that a `$batch` may have, at most 1000",
  },
  CADASTRE_REQUESTS_PER_SECOND: {
    member: "requestsPerSecond",
    ...rate,
    default: "100",
    means: "Requests of a key a second, unless its entitlement says; 0 for no limit: see [Rates](#rates)",
  },
  CADASTRE_REFUSALS_PER_SECOND: {
    member: "refusalsPerSecond",
    ...rate,
    default: "10",
    means: "Requests with a wrong key from one address a second; 0 for no limit",
  },
  CADASTRE_COMPRESSION: {
    member: "compression",
    ...trueOrFalse,
    default: "true",
    means: "Whether answers are compressed for clients that ask for it: see [Compression](#compression)",
  },
  CADASTRE_MINIMUM_CELL_SIZE: {
    member: "minimumCellSize",
    ...whole(1, 1_000_000),
    default: "10",
    means:
      "Listings that field completeness and market reports count together at least: see [field completeness](../../docs/coverage.md) and [market reports](../../docs/datasets.md#market_report)",
  },
  CADASTRE_MAX_SHRINK: {
    member: "maxShrink",
    ...whole(0, 100),
    default: "20",
    means:
      "Percentage of a set, or of a source's records in it, that a full load or a publication may remove without `--allow-shrink`: see [Removals](#removals)",
  },
  CADASTRE_TOKEN_LIFE: {
    member: "tokenLife",
    ...whole(1, 31_536_000),
    default: "86400",
    means: "Life of a `$skiptoken`, in seconds",
  },
  CADASTRE_QUERY_SECONDS: {
    member: "querySeconds",
    ...whole(1, 3600),
    default: "10",
    means: "How long a query may take; then it is stopped, and answered with 503 `query_timeout`",
  },
  CADASTRE_READERS: {
    member: "readers",
    ...whole(1, 64),
    default: "2",
    means: "Threads that read the database",
  },
  CADASTRE_PROCESSES: {
    member: "processes",
    ...whole(1, 64),
    default: "1",
    means: "Processes that answer requests on one port: see [Processes](#processes)",
  },
  CADASTRE_CONCURRENT_QUERIES: {
    member: "concurrentQueries",
    ...whole(1, 100_000),
    default: "100",
    means:
      "Queries of a customer that run and wait at once, unless its entitlement says: see [Fair shares](#fair-shares)",
  },
  CADASTRE_SCAN_SECONDS: {
    member: "scanSeconds",
    ...whole(1, 3600),
    default: "30",
    means:
      "Seconds in each minute that a customer's queries without an index may take, unless its entitlement says: see [Fair shares](#fair-shares)",
  },
  CADASTRE_MEMORY: {
    member: "memory",
    ...whole(leastMemory, 1_048_576),
    absent: "3/4 of the container's limit, else 1/4 of the machine's; 1024 at most",
    means: "Memory that the service plans with, in MB: see [Memory](#memory)",
  },
  CADASTRE_IDLE_SECONDS: {
    member: "idleSeconds",
    ...whole(1, 3600),
    default: "30",
    means: "How long a client may take nothing of its answer; then its connection is closed",
  },
  CADASTRE_CHECK_HOURS: {
    member: "checkHours",
    ...whole(0, 8760),
    default: "24",
    means:
      "Hours between two checks of the databases, the first one at the start; 0 for none: see [Check](../../docs/operations.md#check)",
  },
  CADASTRE_PARTS: {
    member: "partsFolder",
    ...text("the path of a folder"),
    absent: "`exports` of the data folder",
    means: "Folder of the files that are delivered; all workers must have it in common",
  },
  CADASTRE_PARTS_BUCKET: {
    member: "partsBucket",
    is: readBy(toBucketPlace),
    must: "`s3://<bucket>`, or `s3://<bucket>/<prefix>`",
    absent: "none",
    means:
      "Bucket of the files that are delivered, in place of the folder, which then holds what is being written: see [Deliveries](#deliveries)",
  },
  CADASTRE_PARTS_REGION: {
    member: "partsRegion",
    is: z.string().regex(/^[a-z0-9-]{1,64}$/),
    must: "the name of a region",
    default: "us-east-1",
    means: "Region of that bucket",
  },
  CADASTRE_PARTS_ENDPOINT: {
    member: "partsEndpoint",
    is: z.string().refine(isBaseUrl),
    must: "an http or https address without a query",
    absent: "that of AWS",
    means: "Address of another server that speaks S3, with the bucket in the path",
  },
  CADASTRE_GRANTS: {
    member: "grants",
    is: z.enum(["logical", "direct_https"]),
    must: "logical or direct_https",
    default: "logical",
    means:
      "How files are granted: to be redeemed here, or by their own address in the bucket, which is not for production: see [Deliveries](#deliveries)",
  },
  CADASTRE_RETENTION_DAYS: {
    member: "retentionDays",
    ...whole(1, 365),
    default: "14",
    means: "How long a delivery may be fetched, in days from when it was asked for",
  },
  CADASTRE_EXPORT_PROFILES: {
    member: "exportProfiles",
    ...text("the path of a file of output profiles"),
    absent: "none",
    means: "File of output profiles, beside those that there are: see [Deliveries](#deliveries)",
  },
  CADASTRE_PART_BYTES: {
    member: "partBytes",
    ...whole(65_536, 1_073_741_824),
    absent: "67108864, of Parquet 134217728",
    means: "Bytes of JSON lines that make a file of a delivery",
  },
  CADASTRE_SIGNING_KEYS: {
    member: "signingKeys",
    is: z.string().transform(toGivenDocument),
    must: "the path of a set of private keys, or its JSON text",
    isSecret: true,
    absent: "`signing-keys.json` of the data folder",
    means:
      "Private JWKS of Ed25519 keys, a file or its text; the first one signs manifests, all are published: see [Secrets](#secrets)",
  },
  CADASTRE_PUSH: {
    member: "push",
    ...trueOrFalse,
    default: "false",
    means: "Whether deliveries are pushed to buckets of customers: see [Push](#push)",
  },
  CADASTRE_PUSH_ENDPOINT: {
    member: "pushEndpoint",
    is: z.string().refine(isBaseUrl),
    must: "an http or https address without a query",
    absent: "those of AWS",
    means:
      "Address of another server that speaks S3 and STS, with the bucket in the path, for all that is pushed",
  },
  CADASTRE_WEBHOOK_LOOPBACK: {
    member: "webhookLoopback",
    ...trueOrFalse,
    default: "false",
    means:
      "Whether webhooks may go to this machine, over http too: for development, and refused with `NODE_ENV=production`",
  },
  CADASTRE_WORKER: {
    member: "worker",
    ...trueOrFalse,
    default: "true",
    means: "Whether the service builds deliveries itself; else `cadastre worker` must run",
  },
  CADASTRE_LEASE_SECONDS: {
    member: "leaseSeconds",
    ...whole(3, 3600),
    default: "30",
    means: "How long a delivery waits for a worker that says nothing, until another one takes it",
  },
  CADASTRE_ODATA_VERSION: {
    member: "odataVersion",
    is: z.enum(["4.0", "4.01"]),
    must: "4.0 or 4.01",
    default: "4.0",
    means: "`OData-Version` where the request asks for none: 4.0 or 4.01",
  },
  CADASTRE_SERVER_TIMING: {
    member: "serverTiming",
    ...trueOrFalse,
    default: "false",
    means: "Whether answers tell the time of each stage in `Server-Timing`",
  },
  CADASTRE_DRAIN_WAIT_SECONDS: {
    member: "drainWaitSeconds",
    ...whole(0, 3600),
    default: "0",
    means:
      "How long a stopping service that is no longer ready serves on, until load balancers have noticed: see [Stopping](#stopping)",
  },
  CADASTRE_DRAIN_SECONDS: {
    member: "drainSeconds",
    ...whole(0, 3600),
    default: "10",
    means: "How long a stopping service waits for requests that it has begun to answer",
  },
  CADASTRE_AUDIT: {
    member: "audit",
    is: z.enum(["file", "stdout"]),
    must: "file or stdout",
    default: "file",
    means:
      "Where the audit trail goes: `file` is `audit.jsonl` of the data folder; with `stdout`, commands write it to standard error: see [Audit trail](#audit-trail)",
  },
  CADASTRE_LOG_LEVEL: {
    member: "logLevel",
    is: z.enum(["debug", "info", "warn", "error", "silent"]),
    must: "debug, info, warn, error or silent",
    default: "info",
    means: "`debug`, `info`, `warn`, `error` or `silent`; JSON lines on standard error",
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    member: "otlpEndpoint",
    ...collectorUrl,
    absent: "none: no traces are recorded",
    means: "Collector of OpenTelemetry that traces are sent to, at `/v1/traces`: see [Traces](#traces)",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    member: "otlpTracesEndpoint",
    ...collectorUrl,
    absent: "`/v1/traces` of that address",
    means: "Address that traces are sent to, in place of the one above",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    member: "otlpHeaders",
    ...headers,
    isSecret: true,
    absent: "none",
    means: "Headers of what is sent to the collector, such as `authorization=Bearer%20secret`",
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    member: "otlpTracesHeaders",
    ...headers,
    isSecret: true,
    absent: "those above",
    means: "Headers of traces, in place of those above",
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    member: "otlpProtocol",
    is: z.literal("http/json"),
    must: "http/json",
    default: "http/json",
    means: "Protocol of the collector; collectors accept it on the port of `http/protobuf`, 4318",
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: {
    member: "otlpCompression",
    is: z.enum(["none", "gzip"]),
    must: "none or gzip",
    default: "none",
    means: "Compression of what is sent to the collector",
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    member: "otlpTimeout",
    ...whole(1, 600_000),
    default: "10000",
    means: "Milliseconds that the collector may take, retries included; then the spans are lost",
  },
  OTEL_TRACES_EXPORTER: {
    member: "tracesExporter",
    is: z.enum(["otlp", "none"]),
    must: "otlp or none",
    default: "otlp",
    means: "`none` records no traces, even with the address of a collector",
  },
  OTEL_SDK_DISABLED: {
    member: "telemetryDisabled",
    ...trueOrFalse,
    default: "false",
    means: "`true` records no traces, even with the address of a collector",
  },
  OTEL_SERVICE_NAME: {
    member: "serviceName",
    ...text("a name"),
    absent: "`service.name` of the attributes below, else cadastre",
    means: "Name of the service in traces",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    member: "resourceAttributes",
    ...pairs,
    absent: "none",
    means: "Further attributes of the service in traces, such as `deployment.environment.name=staging`",
  },
  OTEL_TRACES_SAMPLER: {
    member: "tracesSampler",
    is: z.enum(samplers),
    must: samplers.join(", ").replace(/, (?=\w+$)/, " or "),
    default: "parentbased_always_on",
    means: "Which traces are recorded: see [Traces](#traces)",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    member: "tracesSamplerArg",
    is: z
      .string()
      .regex(/^(?:[01](?:\.0{1,15})?|0?\.\d{1,15})$/)
      .transform(Number),
    must: "a number from 0 to 1",
    absent: "1",
    means: "Share of the traces that a sampler with `traceidratio` records",
  },
  OTEL_BSP_SCHEDULE_DELAY: {
    member: "spanDelay",
    ...whole(1, 600_000),
    default: "5000",
    means: "Milliseconds after which spans are sent that do not fill a batch",
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    member: "spanQueue",
    ...whole(1, 1_000_000),
    default: "2048",
    means: "Spans of a process that wait to be sent; further ones are lost",
  },
  CADASTRE_TRUST_TRACEPARENT: {
    member: "trustTraceparent",
    ...trueOrFalse,
    default: "false",
    means:
      "Whether the `traceparent` of a client decides if its trace is recorded; its trace id is always taken over: see [Traces](#traces)",
  },
} as const satisfies Record<string, Setting>;

type Settings = typeof settings;

/** The value of each setting, by its member. */
export type Values = {
  readonly [Name in keyof Settings as Settings[Name]["member"]]:
    | z.output<Settings[Name]["is"]>
    | (Settings[Name] extends { readonly absent: string } ? undefined : never);
};
