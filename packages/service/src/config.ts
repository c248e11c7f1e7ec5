import { z } from "zod";
import { type Origins, toOrigins } from "./http/cross-origin.ts";
import { type TrustedProxies, toTrustedProxies } from "./http/trusted-proxies.ts";

/** A whole number between two bounds, said in words. */
const whole = (least: number, greatest: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= greatest);

const trueOrFalse = (absent: "true" | "false") =>
  z
    .enum(["true", "false"])
    .default(absent)
    .transform((value) => value === "true");

/** What `read` makes of a text; where it makes nothing of it, the text is wrong. */
const readBy = <T>(read: (text: string) => T | undefined) =>
  z.string().transform((text, context): T => {
    const value = read(text);
    if (value !== undefined) return value;
    context.addIssue({ code: "custom", message: "not read" });
    return z.NEVER;
  });

const host = z
  .string()
  .regex(/^[\w.:-]{1,255}$/)
  .default("127.0.0.1");

const isBaseUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
};

/**
 * Every setting: the variable of the environment, what it may be, and the sentence that says so when it is not.
 * An empty variable is one that is not set.
 */
const settings = {
  PORT: { is: whole(0, 65_535).default(8080), must: "a whole number from 0 to 65535 (0: any free port)" },
  HOST: {
    is: host,
    must: "a host name or an IP address",
  },
  CADASTRE_ADMIN_PORT: {
    is: whole(0, 65_535).optional(),
    must: "a whole number from 0 to 65535 (0: any free port)",
  },
  CADASTRE_ADMIN_HOST: { is: host, must: "a host name or an IP address" },
  CADASTRE_DATA: { is: z.string().default(".data"), must: "the path of a folder" },
  CADASTRE_LISTINGS: { is: whole(1, 10_000_000).default(20_000), must: "a whole number from 1 to 10000000" },
  CADASTRE_KEY_SET: { is: z.string().optional(), must: "the path or the address of a JWKS" },
  CADASTRE_ISSUER: { is: z.string().optional(), must: "the `iss` of the entitlements" },
  CADASTRE_AUDIENCE: { is: z.string().optional(), must: "the `aud` of the entitlements" },
  CADASTRE_BASE_URL: {
    is: z
      .string()
      .refine(isBaseUrl)
      .transform((url) => url.replace(/\/+$/, ""))
      .optional(),
    must: "an http or https address without a query",
  },
  CADASTRE_TRUST_PROXY: {
    is: readBy(toTrustedProxies).optional(),
    must: "a number of proxies, or addresses and networks such as `loopback,10.0.0.0/8`",
  },
  CADASTRE_CORS_ORIGINS: {
    is: readBy(toOrigins).optional(),
    must: "`*`, or origins such as `https://app.example` with commas between",
  },
  CADASTRE_PAGE_SIZE: { is: whole(1, 1000).default(100), must: "a whole number from 1 to 1000" },
  CADASTRE_TOP_IS_TOTAL: { is: trueOrFalse("false"), must: "true or false" },
  CADASTRE_BATCH_REQUESTS: { is: whole(1, 1000).default(100), must: "a whole number from 1 to 1000" },
  CADASTRE_REQUESTS_PER_SECOND: {
    is: whole(0, 1_000_000).default(100),
    must: "a whole number from 0 to 1000000 (0: no limit)",
  },
  CADASTRE_REFUSALS_PER_SECOND: {
    is: whole(0, 1_000_000).default(10),
    must: "a whole number from 0 to 1000000 (0: no limit)",
  },
  CADASTRE_COMPRESSION: { is: trueOrFalse("true"), must: "true or false" },
  CADASTRE_TOKEN_LIFE: {
    is: whole(1, 31_536_000).default(86_400),
    must: "a number of seconds up to 31536000",
  },
  CADASTRE_QUERY_SECONDS: { is: whole(1, 3600).default(10), must: "a whole number from 1 to 3600" },
  CADASTRE_READERS: { is: whole(1, 64).default(2), must: "a whole number from 1 to 64" },
  CADASTRE_ODATA_VERSION: { is: z.enum(["4.0", "4.01"]).default("4.0"), must: "4.0 or 4.01" },
  CADASTRE_SERVER_TIMING: { is: trueOrFalse("false"), must: "true or false" },
  CADASTRE_DRAIN_SECONDS: { is: whole(0, 3600).default(10), must: "a whole number from 0 to 3600" },
  CADASTRE_LOG_LEVEL: {
    is: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
    must: "debug, info, warn, error or silent",
  },
} as const;

/** Name of every variable that is read. */
export const settingNames: readonly string[] = Object.keys(settings);

type Settings = typeof settings;
type Values = { readonly [Name in keyof Settings]: z.output<Settings[Name]["is"]> };

/** What the service is told from outside. Read once, at the start. */
export type Config = {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** Port of `/metrics`, for the operator; 0: any free port. Undefined: there are no metrics. */
  readonly adminPort: number | undefined;
  readonly adminHost: string;
  /** Folder of the databases, the secrets and `demo.json`. */
  readonly dataFolder: string;
  /** Sample listings to prepare where there is no data yet. */
  readonly listings: number;
  /** Who signs entitlements: file or address of the key set, `iss` and `aud`. Without it, the folder's own issuer. */
  readonly trust: { readonly keySet: string; readonly issuer: string; readonly audience: string } | undefined;
  /** Address of the service as clients see it; without it, that of the request's `Host`. */
  readonly baseUrl: string | undefined;
  /** Proxies whose word on the client's scheme and host is taken: the last so many, or these addresses; none by default. */
  readonly trustProxy: TrustedProxies | undefined;
  /** Origins of pages whose scripts may ask; none by default. */
  readonly corsOrigins: Origins | undefined;
  /** Records of a page where the request does not say. */
  readonly pageSize: number;
  /** Whether `$top` is the number of records of all pages together, and not the size of a page. */
  readonly topIsTotal: boolean;
  /** Requests that a `$batch` may have. */
  readonly batchRequests: number;
  /** Requests of a key a second, where its entitlement does not say; 0: no limit. */
  readonly requestsPerSecond: number;
  /** Requests with a wrong key of one address a second; 0: no limit. */
  readonly refusalsPerSecond: number;
  /** Whether answers are compressed for clients that like them so. */
  readonly compression: boolean;
  /** Life of a `$skiptoken`, in seconds. */
  readonly tokenLife: number;
  /** How long a query may take, in seconds. */
  readonly querySeconds: number;
  /** Threads that read the database. */
  readonly readers: number;
  /** OData version of an answer where the request does not ask for one. */
  readonly odataVersion: "4.0" | "4.01";
  readonly serverTiming: boolean;
  /** How long a stopping service waits for requests that it has begun to answer. */
  readonly drainSeconds: number;
  readonly logLevel: Values["CADASTRE_LOG_LEVEL"];
};

/** A setting is wrong. The message names each variable at fault and says what it must be. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Settings that only count together. */
const trustNames = ["CADASTRE_KEY_SET", "CADASTRE_ISSUER", "CADASTRE_AUDIENCE"] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws {ConfigError} */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { is, must }] of Object.entries(settings)) {
    const given = environment[name] === "" ? undefined : environment[name];
    const read = is.safeParse(given);
    if (read.success) values[name] = read.data;
    else faults.push(`${name} must be ${must}, not \`${given}\``);
  }
  const missing = trustNames.filter((name) => values[name] === undefined);
  if (missing.length % trustNames.length > 0)
    faults.push(
      `${trustNames.join(", ")} must be set together: without ${missing.join(" and ")} the others mean nothing`,
    );
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  return toConfig(values as Values);
}

const toConfig = (values: Values): Config => ({
  port: values.PORT,
  host: values.HOST,
  adminPort: values.CADASTRE_ADMIN_PORT,
  adminHost: values.CADASTRE_ADMIN_HOST,
  dataFolder: values.CADASTRE_DATA,
  listings: values.CADASTRE_LISTINGS,
  trust: trustOf(values),
  baseUrl: values.CADASTRE_BASE_URL,
  trustProxy: values.CADASTRE_TRUST_PROXY,
  corsOrigins: values.CADASTRE_CORS_ORIGINS,
  pageSize: values.CADASTRE_PAGE_SIZE,
  topIsTotal: values.CADASTRE_TOP_IS_TOTAL,
  batchRequests: values.CADASTRE_BATCH_REQUESTS,
  requestsPerSecond: values.CADASTRE_REQUESTS_PER_SECOND,
  refusalsPerSecond: values.CADASTRE_REFUSALS_PER_SECOND,
  compression: values.CADASTRE_COMPRESSION,
  tokenLife: values.CADASTRE_TOKEN_LIFE,
  querySeconds: values.CADASTRE_QUERY_SECONDS,
  readers: values.CADASTRE_READERS,
  odataVersion: values.CADASTRE_ODATA_VERSION,
  serverTiming: values.CADASTRE_SERVER_TIMING,
  drainSeconds: values.CADASTRE_DRAIN_SECONDS,
  logLevel: values.CADASTRE_LOG_LEVEL,
});

function trustOf({
  CADASTRE_KEY_SET: keySet,
  CADASTRE_ISSUER: issuer,
  CADASTRE_AUDIENCE: audience,
}: Values): Config["trust"] {
  if (keySet === undefined || issuer === undefined || audience === undefined) return undefined;
  return { keySet, issuer, audience };
}
