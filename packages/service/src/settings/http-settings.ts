import { z } from "zod";
import { toOrigins } from "../http/cross-origin.ts";
import { toTrustedProxies } from "../http/trusted-proxies.ts";
import { isBaseUrl, readBy, type Setting, trueOrFalse, wholeNumber } from "./setting.ts";

const port = wholeNumber(0, 65_535, "any free port");
const host = { is: z.string().regex(/^[\w.:-]{1,255}$/), must: "a host name or an IP address" };

/** Settings of addresses, connections and answers. */
export const httpSettings = {
  PORT: {
    member: "port",
    path: "port",
    ...port,
    default: "8080",
    means: "Port to listen on; 0 takes any free one",
  },
  HOST: {
    member: "host",
    path: "host",
    ...host,
    default: "127.0.0.1",
    means: "Address to listen on; 0.0.0.0 for all",
  },
  CADASTRE_ADMIN_PORT: {
    member: "adminPort",
    path: "admin.port",
    ...port,
    absent: "none",
    means: "Port of `/metrics`: see [Metrics](#metrics); 0 takes any free one",
  },
  CADASTRE_ADMIN_HOST: {
    member: "adminHost",
    path: "admin.host",
    ...host,
    default: "127.0.0.1",
    means: "Address that `/metrics` listens on",
  },
  CADASTRE_BASE_URL: {
    member: "baseUrl",
    path: "base_url",
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
    path: "trust_proxy",
    isList: true,
    is: readBy(toTrustedProxies),
    must: "a number of proxies, or addresses and networks such as `loopback,10.0.0.0/8`",
    absent: "none",
    means: "Proxies that are believed on the client's scheme and host: see [Links](#links)",
  },
  CADASTRE_CORS_ORIGINS: {
    member: "corsOrigins",
    path: "cors_origins",
    isList: true,
    is: readBy(toOrigins),
    must: "`*`, or origins such as `https://app.example` with commas between",
    absent: "none",
    means:
      "Origins of pages whose scripts may ask, with commas between; `*` for all: see [Methods](#methods)",
  },
  CADASTRE_COMPRESSION: {
    member: "compression",
    path: "compression",
    ...trueOrFalse,
    default: "true",
    means: "Whether answers are compressed for clients that ask for it: see [Compression](#compression)",
  },
  CADASTRE_EXPLORER: {
    member: "explorer",
    path: "explorer",
    ...trueOrFalse,
    default: "true",
    means: "Whether `/` answers browsers with a page to look at the listings: see [The page](#the-page)",
  },
  CADASTRE_MCP: {
    member: "mcp",
    path: "mcp",
    ...trueOrFalse,
    default: "false",
    means:
      "Whether language models can call tools at `/mcp`: see [Tools for language models](#tools-for-language-models)",
  },
  CADASTRE_ODATA_VERSION: {
    member: "odataVersion",
    path: "odata_version",
    is: z.enum(["4.0", "4.01"]),
    must: "4.0 or 4.01",
    default: "4.0",
    means: "`OData-Version` where the request asks for none: 4.0 or 4.01",
  },
  CADASTRE_SERVER_TIMING: {
    member: "serverTiming",
    path: "server_timing",
    ...trueOrFalse,
    default: "false",
    means: "Whether answers tell the time of each stage in `Server-Timing`",
  },
  CADASTRE_IDLE_SECONDS: {
    member: "idleSeconds",
    path: "idle_seconds",
    ...wholeNumber(1, 3600),
    default: "30",
    means: "How long a client may take nothing of its answer; then its connection is closed",
  },
  CADASTRE_DRAIN_WAIT_SECONDS: {
    member: "drainWaitSeconds",
    path: "drain.wait_seconds",
    ...wholeNumber(0, 3600),
    default: "0",
    means:
      "How long a stopping service that is no longer ready serves on, until load balancers have noticed: see [Stopping](#stopping)",
  },
  CADASTRE_DRAIN_SECONDS: {
    member: "drainSeconds",
    path: "drain.seconds",
    ...wholeNumber(0, 3600),
    default: "10",
    means: "How long a stopping service waits for requests that it has begun to answer",
  },
} as const satisfies Record<string, Setting>;
