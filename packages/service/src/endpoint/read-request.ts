import type { Request } from "express";
import { Refused } from "../errors.ts";
import { contentTypeOf, exceedsValueCount, readRequestBody } from "../http/request-body.ts";
import type { Endpoint } from "./endpoint.ts";
import { validate } from "./validate.ts";

/** Reads and validates the parts of a request that its endpoint declares. */
export async function readRequest(endpoint: Endpoint<never>, req: Request) {
  const [, ...query] = req.originalUrl.split("?");
  if (endpoint.refusesQuery === true && query.length > 0) throw new Refused("query_not_allowed");
  const parameters = readParameters(query.join("?"), Object.keys(endpoint.query.shape));
  return {
    query: validate(endpoint.query, Object.fromEntries(parameters)),
    params: validate(endpoint.params, { ...emptyParams(endpoint), ...req.params }),
    body: endpoint.body && validate(endpoint.body, await readJsonBody(req)),
  };
}

/** Express leaves out an empty parameter. */
const emptyParams = ({ params }: Endpoint<never>) =>
  Object.fromEntries(Object.keys(params.shape).map((name) => [name, ""]));

/** Longest part of an unknown name that an error quotes, in characters. */
const maxTarget = 64;

/**
 * Parses a query string strictly: unknown, repeated and malformed parameters are errors and never ignored.
 *
 * @throws {Refused} `unknown_parameter`, `duplicate_parameter`, `invalid_encoding`
 */
export function readParameters(query: string, known: readonly string[]): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((text) => text !== "")) {
    const [name = "", ...rest] = pair.split("=");
    const decoded = decode(name);
    if (!known.includes(decoded))
      throw new Refused("unknown_parameter", { target: decoded.slice(0, maxTarget), allowed: known });
    if (parameters.has(decoded)) throw new Refused("duplicate_parameter", { target: decoded });
    parameters.set(decoded, decode(rest.join("=")));
  }
  return parameters;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new Refused("invalid_encoding");
  }
}

/** Maximum size of a body, in bytes. */
const maxBody = 16_384;

/** Maximum number of values and members of a body. The longest valid body is the list of events of a webhook. */
const maxValues = 200;

/**
 * Reads and parses a JSON body.
 *
 * @throws {Refused} `unsupported_media_type`, `body_too_large`, `invalid_encoding`, `invalid_request`
 */
async function readJsonBody(req: Request): Promise<unknown> {
  if (contentTypeOf(req)?.type !== "application/json")
    throw new Refused("unsupported_media_type", { target: "Content-Type", allowed: ["application/json"] });
  const text = await readRequestBody(req, maxBody);
  if (exceedsValueCount(text, maxValues))
    throw new Refused("invalid_request", { reason: "it has too many values" });
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused("invalid_request", { reason: "it is not valid JSON" });
  }
}
