import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import type { JobStage } from "@cadastre/delivery";
import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { parseTraceParent } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "../log.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import { createStages, type Stage } from "./stages.ts";
import { attributeNames, type SpanFacts, type TraceSpan } from "./trace-span.ts";
import type { Tracing } from "./tracing.ts";
import type { TracingOptions } from "./tracing-options.ts";

/** Longest time in milliseconds that a stopping service waits for the collector. */
const grace = 1000;

/** Greatest number of spans in a request to the collector. */
const batch = 512;

/** Starts to record traces. Nothing is registered globally: a process may have several services. */
export function startTracing(options: TracingOptions, log: Log): Tracing {
  const exporter = new OtlpExporter(options, log);
  const provider = new TracerProvider({
    sampler: samplerOf(options),
    resource: resourceFromAttributes({
      "service.instance.id": randomUUID(),
      "host.name": hostname(),
      "process.pid": process.pid,
      ...Object.fromEntries(options.resource),
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: options.queue,
        maxExportBatchSize: Math.min(batch, options.queue),
        scheduledDelayMillis: options.delay,
        exportTimeoutMillis: options.timeout,
      }),
    ],
  });
  const tracer = provider.getTracer("cadastre");
  return {
    request(traceparent, at) {
      const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
      const context =
        parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
      const offset = clockOffset();
      const started = tracer.startSpan("request", { kind: SpanKind.SERVER, startTime: offset + at }, context);
      const { traceId } = started.spanContext();
      if (started.isRecording()) return { traceId, span: spanOf(started, tracer, offset) };
      return parent === null ? undefined : { traceId, span: undefined };
    },
    job({ name, ...facts }) {
      const offset = clockOffset();
      const startTime = offset + performance.now();
      const started = tracer.startSpan(
        name,
        { kind: SpanKind.CONSUMER, startTime, attributes: toAttributes(facts) },
        ROOT_CONTEXT,
      );
      const span = started.isRecording() ? spanOf(started, tracer, offset) : undefined;
      const { timeAsync } = createStages<JobStage>(span);
      return {
        timeAsync: (stage, work) => timeAsync(stage, ({ span: within }) => work(within?.traceparent)),
        end: ({ outcome, code }) => {
          span?.note({ outcome, error: code ?? undefined });
          if (code != null) span?.fail(code);
          span?.end(performance.now());
        },
      };
    },
    stop: async () => {
      exporter.prepareStop();
      const waiting = new AbortController();
      const sent = provider.shutdown().catch(() => {});
      await Promise.race([sent, setTimeout(grace, undefined, waiting).catch(() => {})]);
      waiting.abort();
      exporter.abort();
    },
  };
}

/** Milliseconds to add to `performance.now()` for the time since 1970. The same one for all spans of a trace, because the clocks drift. */
const clockOffset = (): number => Date.now() - performance.now();

/**
 * Returns the sampler. A client that is not trusted decides nothing: neither by its flag, nor by its trace id, of which a sampler by ratio
 * records those that are small enough. Spans below a request follow its span.
 */
function samplerOf({ sampler, ratio, trustsClients }: TracingOptions): Sampler {
  const root = {
    on: () => new AlwaysOnSampler(),
    off: () => new AlwaysOffSampler(),
    ratio: () => new TraceIdRatioBasedSampler(ratio),
  }[sampler.endsWith("on") ? "on" : sampler.endsWith("off") ? "off" : "ratio"]();
  const followsFlag = trustsClients && sampler.startsWith("parentbased");
  const remote = trustsClients ? root : byNewId(root);
  return new ParentBasedSampler({
    root,
    ...(followsFlag ? {} : { remoteParentSampled: remote, remoteParentNotSampled: remote }),
  });
}

const ids = new RandomIdGenerator();

const byNewId = (sampler: Sampler): Sampler => ({
  shouldSample: (_context, _traceId, ...rest) =>
    sampler.shouldSample(ROOT_CONTEXT, ids.generateTraceId(), ...rest),
  toString: () => sampler.toString(),
});

/** Stages that are requests to another system, with the facts that all of them have. */
const outgoing: ReadonlyMap<string, SpanFacts> = new Map<Stage | JobStage, SpanFacts>([
  ["query", { operation: "SELECT" }],
  ["post", { method: "POST" }],
]);

function spanOf(span: Span, tracer: Tracer, offset: number): TraceSpan {
  const context = trace.setSpan(ROOT_CONTEXT, span);
  const { traceId, spanId } = span.spanContext();
  return {
    start: (name, at, facts) => {
      const request = outgoing.get(name);
      const started = {
        kind: request === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT,
        startTime: offset + at,
        attributes: toAttributes({ ...request, ...facts }),
      };
      return spanOf(tracer.startSpan(name, started, context), tracer, offset);
    },
    rename: (name) => void span.updateName(name),
    note: (facts) => void span.setAttributes(toAttributes(facts)),
    fail: (code) => void span.setStatus({ code: SpanStatusCode.ERROR, message: code }),
    end: (at) => span.end(offset + at),
    traceparent: `00-${traceId}-${spanId}-01`,
  };
}

function toAttributes(facts: SpanFacts): Attributes {
  const attributes: Attributes = {};
  for (const [fact, value] of Object.entries(facts))
    attributes[attributeNames[fact as keyof SpanFacts]] = value;
  return attributes;
}
