import type { ReadableSpan } from "@opentelemetry/sdk-trace";

// The serializer of OpenTelemetry's own exporters is for their use only, by its documentation. A test holds this one to the same result.

type Attributes = ReadableSpan["attributes"];

/** Returns the request for spans of one resource. Source: OTLP 1.9, "JSON Protobuf Encoding"; trace/v1/trace.proto. */
export const writeOtlpRequest = (spans: readonly ReadableSpan[]): string =>
  JSON.stringify({
    resourceSpans: spans.slice(0, 1).map(({ resource, instrumentationScope: { name } }) => ({
      resource: { attributes: toKeyValues(resource.attributes) },
      scopeSpans: [{ scope: { name }, spans: spans.map(toOtlpSpan) }],
    })),
  });

/** Bits of `flags`: whether the parent is of another process is known, and it is so. */
const [hasIsRemote, isRemote] = [0x100, 0x200];

const toOtlpSpan = (span: ReadableSpan) => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  const { parentSpanContext: parent, status } = span;
  return {
    traceId,
    spanId,
    parentSpanId: parent?.spanId,
    name: span.name,
    // The numbers of the protocol have one more, for an unspecified kind.
    kind: span.kind + 1,
    startTimeUnixNano: toNanoseconds(span.startTime),
    endTimeUnixNano: toNanoseconds(span.endTime),
    attributes: toKeyValues(span.attributes),
    status: { code: status.code, message: status.message },
    flags: traceFlags | hasIsRemote | (parent?.isRemote === true ? isRemote : 0),
  };
};

const toNanoseconds = ([seconds, nanoseconds]: ReadableSpan["startTime"]): string =>
  `${seconds}${String(nanoseconds).padStart(9, "0")}`;

/** Writes texts and whole numbers; spans and resources of the service have no others. */
const toKeyValues = (attributes: Attributes) =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: value } : { stringValue: String(value) },
  }));
