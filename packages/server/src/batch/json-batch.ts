import { endOfString } from "@cadastre/odata/run";
import { type Body, copiedSlicesOf, slicesOf } from "../answer/answer.ts";
import { ProtocolError } from "../errors.ts";
import {
  type BatchItem,
  type BatchReply,
  headerReader,
  type ParsedBatch,
  replyHeaders,
} from "./batch-item.ts";

/** Maximum number of values and members of a batch: a dozen for each permitted request, and 2000 more for a few long ones. */
const mostValues = (limit: number): number => 2000 + 12 * limit;

/**
 * Parses a JSON batch. Source: OData JSON Format 4.01, section 19.1.
 *
 * @param limit maximum number of requests
 * @throws {ProtocolError} `invalid_batch`, `body_too_large`
 */
export const readJsonBatch = (body: string, limit: number): ParsedBatch => ({
  items: toItems(body, limit),
  contentType: "application/json",
  write,
});

function toItems(body: string, limit: number): readonly BatchItem[] {
  if (exceedsValueCount(body, mostValues(limit))) throw new ProtocolError("body_too_large");
  const json = parse(body);
  requireMembers(json, batchMembers, "");
  const requests = json["requests"] as readonly unknown[];
  if (requests.length > limit) throw new ProtocolError("body_too_large");
  const known = new Set<string>();
  return requests.map((request, i) => {
    const place = `requests[${i}]`;
    requireMembers(request, requestMembers, place);
    const {
      id,
      method,
      url,
      headers = {},
      body: text,
      dependsOn = [],
      atomicityGroup,
      if: condition,
    } = request as Partial<RequestObject> & Pick<RequestObject, "id" | "method" | "url">;
    if (known.has(id)) throw invalid(`${place}.id`);
    if (!dependsOn.every((other) => known.has(other))) throw invalid(`${place}.dependsOn`);
    known.add(id);
    return {
      id,
      method: method.toUpperCase(),
      url,
      header: headerReader(Object.entries(headers)),
      body: typeof text === "string" ? text : "",
      dependsOn,
      isAtomic: atomicityGroup !== undefined || condition !== undefined,
    };
  });
}

/** A request of a batch in JSON form. */
type RequestObject = {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly dependsOn: readonly string[];
  readonly atomicityGroup: string;
  readonly if: string;
};

/** Rule of a member: whether it must be there, and its valid values. */
type MemberRule = { readonly required: boolean; readonly isValid: (value: unknown) => boolean };

type MemberRules = Readonly<Record<string, MemberRule>>;

const isText = (value: unknown): boolean => typeof value === "string";
const isId = (value: unknown): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= 128;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const batchMembers: MemberRules = { requests: { required: true, isValid: Array.isArray } };

const requestMembers: Readonly<Record<keyof RequestObject, MemberRule>> = {
  id: { required: true, isValid: isId },
  method: { required: true, isValid: (value) => typeof value === "string" && value.length <= 16 },
  url: { required: true, isValid: isText },
  headers: { required: false, isValid: (value) => isObject(value) && Object.values(value).every(isText) },
  body: { required: false, isValid: () => true },
  dependsOn: { required: false, isValid: (value) => Array.isArray(value) && value.every(isId) },
  atomicityGroup: { required: false, isValid: isId },
  if: { required: false, isValid: isText },
};

/** @throws {ProtocolError} `invalid_batch` with the place of the first fault, if `json` is not an object with these members and no others */
function requireMembers(
  json: unknown,
  rules: MemberRules,
  place: string,
): asserts json is Readonly<Record<string, unknown>> {
  if (!isObject(json)) throw invalid(place);
  const below = place === "" ? "" : `${place}.`;
  for (const [name, { required, isValid }] of Object.entries(rules)) {
    const value = json[name];
    if (value === undefined ? required : !isValid(value)) throw invalid(`${below}${name}`);
  }
  if (!Object.keys(json).every((name) => Object.hasOwn(rules, name))) throw invalid(place);
}

const invalid = (target: string): ProtocolError => new ProtocolError("invalid_batch", { target });

const [quote, comma, openBracket, openBrace] = [0x22, 0x2c, 0x5b, 0x7b];

/** True if a JSON text has more than `most` values and members. To be called before the text is parsed. */
function exceedsValueCount(text: string, most: number): boolean {
  const bytes = Buffer.from(text);
  let values = 1;
  for (let at = 0; at < bytes.length && values <= most; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === comma || byte === openBracket || byte === openBrace) values++;
  }
  return values > most;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ProtocolError("invalid_batch");
  }
}

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

/** Matches the media types whose bodies are JSON. Source: OData JSON Format 4.01, section 19.3. */
const jsonType = /^application\/(?:[\w.-]+\+)?json(?:;|$)/;

/** Writes the body of a reply: JSON unchanged, text as a string, and anything else as base64url. */
function* writeBody(contentType: string, body: Body): Iterable<string | Uint8Array> {
  yield ',"body":';
  if (jsonType.test(contentType)) yield* copiedSlicesOf(body);
  else {
    const bytes = Buffer.concat([...slicesOf(body)]);
    yield JSON.stringify(bytes.toString(contentType.startsWith("text/") ? "utf8" : "base64url"));
  }
}
