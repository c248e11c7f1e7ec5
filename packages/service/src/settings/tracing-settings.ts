import { z } from "zod";
import { samplers } from "../telemetry/tracing-options.ts";
import { anyText, isBaseUrl, readBy, type Setting, trueOrFalse, wholeNumber } from "./setting.ts";

const isCollectorUrl = (given: string) => {
  if (!isBaseUrl(given)) return false;
  const { username, password } = new URL(given);
  return username === "" && password === "";
};

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

/** The address may have a key of the collector where it does not belong. */
const collectorUrl = {
  isSecret: true,
  is: z.string().refine(isCollectorUrl),
  must: "an http or https address without a query and without a user",
} as const;

const pairs = {
  is: readBy(toPairs).refine((read) => !read.has("")),
  must: "`name=value` pairs with commas between, and percent-encoded values",
};

const headers = {
  is: pairs.is.refine(isHeaders),
  must: `${pairs.must}, that are names and values of headers`,
};

/** Settings of traces. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    member: "otlpEndpoint",
    path: "traces.collector",
    ...collectorUrl,
    absent: "none: no traces are recorded",
    means: "Collector of OpenTelemetry that traces are sent to, at `/v1/traces`: see [Traces](#traces)",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    member: "otlpTracesEndpoint",
    path: "traces.endpoint",
    ...collectorUrl,
    absent: "`/v1/traces` of that address",
    means: "Address that traces are sent to, in place of the one above",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    member: "otlpHeaders",
    path: "traces.collector_headers",
    hasFileMember: true,
    ...headers,
    isSecret: true,
    absent: "none",
    means: "Headers of what is sent to the collector, such as `authorization=Bearer%20secret`",
  },
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: {
    member: "otlpTracesHeaders",
    path: "traces.headers",
    hasFileMember: true,
    ...headers,
    isSecret: true,
    absent: "those above",
    means: "Headers of traces, in place of those above",
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    member: "otlpProtocol",
    path: "traces.protocol",
    is: z.string().toLowerCase().pipe(z.literal("http/json")),
    must: "http/json, the only protocol of this service (set it for this process alone)",
    default: "http/json",
    means: "Protocol of the collector; collectors accept it on the port of `http/protobuf`, 4318",
  },
  OTEL_EXPORTER_OTLP_COMPRESSION: {
    member: "otlpCompression",
    path: "traces.compression",
    is: z
      .string()
      .toLowerCase()
      .pipe(z.enum(["none", "gzip"])),
    must: "none or gzip",
    default: "none",
    means: "Compression of what is sent to the collector",
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: {
    member: "otlpTimeout",
    path: "traces.timeout",
    ...wholeNumber(1, 600_000),
    default: "10000",
    means: "Milliseconds that the collector may take, retries included; then the spans are lost",
  },
  OTEL_TRACES_EXPORTER: {
    member: "tracesExporter",
    path: "traces.exporter",
    is: z
      .string()
      .toLowerCase()
      .pipe(z.enum(["otlp", "none"])),
    must: "otlp or none",
    default: "otlp",
    means: "`none` records no traces, even with the address of a collector",
  },
  OTEL_SDK_DISABLED: {
    member: "telemetryDisabled",
    path: "traces.disabled",
    is: z.string().toLowerCase().pipe(trueOrFalse.is),
    must: trueOrFalse.must,
    default: "false",
    means: "`true` records no traces, even with the address of a collector",
  },
  OTEL_SERVICE_NAME: {
    member: "serviceName",
    path: "traces.service_name",
    ...anyText("a name"),
    absent: "`service.name` of the attributes below, else cadastre",
    means: "Name of the service in traces",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    member: "resourceAttributes",
    path: "traces.attributes",
    ...pairs,
    absent: "none",
    means: "Further attributes of the service in traces, such as `deployment.environment.name=staging`",
  },
  OTEL_TRACES_SAMPLER: {
    member: "tracesSampler",
    path: "traces.sampler",
    is: z.string().toLowerCase().pipe(z.enum(samplers)),
    must: samplers.join(", ").replace(/, (?=\w+$)/, " or "),
    default: "parentbased_always_on",
    means: "Which traces are recorded: see [Traces](#traces)",
  },
  OTEL_TRACES_SAMPLER_ARG: {
    member: "tracesSamplerArg",
    path: "traces.sampler_share",
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
    path: "traces.delay",
    ...wholeNumber(1, 600_000),
    default: "5000",
    means: "Milliseconds after which spans are sent that do not fill a batch",
  },
  OTEL_BSP_MAX_QUEUE_SIZE: {
    member: "spanQueue",
    path: "traces.queue",
    ...wholeNumber(1, 1_000_000),
    default: "2048",
    means: "Spans of a process that wait to be sent; further ones are lost",
  },
  CADASTRE_TRUST_TRACEPARENT: {
    member: "trustTraceparent",
    path: "traces.trust_clients",
    ...trueOrFalse,
    default: "false",
    means:
      "Whether the `traceparent` of a client decides if its trace is recorded; its trace id is always taken over: see [Traces](#traces)",
  },
} as const satisfies Record<string, Setting>;
