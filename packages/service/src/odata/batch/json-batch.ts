import { z } from "zod";
import { Refused } from "../../errors.ts";
import { type Body, copiedSlicesOf, slicesOf } from "../../http/answer.ts";
import { exceedsValueCount } from "../../http/request-body.ts";
import {
  type BatchItem,
  type BatchReply,
  headerReader,
  type ParsedBatch,
  replyHeaders,
} from "./batch-item.ts";

const id = z.string().min(1).max(128);

/** Schema of a JSON batch. Source: OData JSON Format 4.01, section 19.1. */
export const batchSchema = z.strictObject({
  requests: z.array(
    z.strictObject({
      id,
      method: z.string().max(16),
      url: z.string(),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.unknown().optional(),
      dependsOn: z.array(id).default([]),
      atomicityGroup: id.optional(),
      if: z.string().optional(),
    }),
  ),
});

/** Maximum number of values and members of a batch: a dozen for each permitted request, and 2000 more for a few long ones. */
const mostValues = (limit: number): number => 2000 + 12 * limit;

/**
 * Parses a JSON batch.
 *
 * @param limit maximum number of requests
 * @throws {Refused} `invalid_batch`, `body_too_large`
 */
export const readJsonBatch = (body: string, limit: number): ParsedBatch => ({
  items: toItems(body, limit),
  contentType: "application/json",
  write,
});

function toItems(body: string, limit: number): readonly BatchItem[] {
  if (exceedsValueCount(body, mostValues(limit))) throw new Refused("body_too_large");
  const json = parse(body);
  if (hasMoreRequests(json, limit)) throw new Refused("body_too_large");
  const read = batchSchema.safeParse(json);
  if (!read.success)
    throw new Refused("invalid_batch", { target: placeOf(read.error.issues[0]?.path ?? []) });
  const known = new Set<string>();
  return read.data.requests.map((request, i) => {
    const place = `requests[${i}]`;
    if (known.has(request.id)) throw new Refused("invalid_batch", { target: `${place}.id` });
    if (!request.dependsOn.every((other) => known.has(other)))
      throw new Refused("invalid_batch", { target: `${place}.dependsOn` });
    known.add(request.id);
    return {
      ...request,
      method: request.method.toUpperCase(),
      header: headerReader(Object.entries(request.headers)),
      body: typeof request.body === "string" ? request.body : "",
      isAtomic: request.atomicityGroup !== undefined || request.if !== undefined,
    };
  });
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Refused("invalid_batch");
  }
}

const hasMoreRequests = (json: unknown, limit: number): boolean =>
  typeof json === "object" &&
  json !== null &&
  "requests" in json &&
  Array.isArray(json.requests) &&
  json.requests.length > limit;

/** Formats the path of a fault: `["requests", 2, "url"]` → `requests[2].url`, truncated to 64 characters. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .slice(1, 65);

/** Writes the answer. Source: OData JSON Format 4.01, section 19.3. */
async function* write(replies: AsyncIterable<BatchReply>): AsyncIterable<string | Uint8Array> {
  yield '{"responses":[';
  let comma = "";
  for await (const reply of replies) {
    const { id: replied, answer } = reply;
    const head = JSON.stringify({ id: replied, status: answer.status, headers: replyHeaders(reply) });
    yield `${comma}${head.slice(0, -1)}`;
    if (answer.contentType !== undefined) yield* writeBody(answer.contentType, answer.body);
    yield "}";
    comma = ",";
  }
  yield "]}";
}

/** Writes the body of a reply: JSON unchanged, text as a string, and anything else as base64url. */
function* writeBody(contentType: string, body: Body): Iterable<string | Uint8Array> {
  yield ',"body":';
  if (contentType.startsWith("application/json")) yield* copiedSlicesOf(body);
  else {
    const bytes = Buffer.concat([...slicesOf(body)]);
    yield JSON.stringify(bytes.toString(contentType.startsWith("text/") ? "utf8" : "base64url"));
  }
}
