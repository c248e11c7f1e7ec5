import type { Request } from "express";
import type { z } from "zod";
import { type PublicCode, publicErrors, type RefusalDetails, Refused } from "../errors.ts";
import { readJsonBody } from "../http/request-body.ts";
import type { Endpoint } from "./endpoint.ts";

/** Longest text of a fault that an error quotes, in characters. It may hold a name from the body. */
const maxQuoted = 160;

/** Names the error code of a schema: `z.string(faultCode("invalid_bucket"))`. Zod keeps it as the message of the fault. */
export const faultCode = <Code extends PublicCode>(code: Code): Code => code;

const isPublicCode = (text: string): text is PublicCode => Object.hasOwn(publicErrors, text);

/**
 * Validates the path parameters, the query or the body of a request.
 *
 * @throws {Refused} the code of the first schema that the value does not match; `invalid_request` for an unknown member, or if one of the
 * schemas has no code
 */
export function validate<Schema extends z.ZodObject>(schema: Schema, value: unknown): z.output<Schema> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const { issues } = read.error;
  const [code] = issues.map(({ message }) => message);
  if (code !== undefined && isPublicCode(code) && issues.every(({ message }) => isPublicCode(message)))
    throw new Refused(code);
  throw new Refused("invalid_request", detailsOf(issues[0], Object.keys(schema.shape)));
}

/** Returns the place of a fault, the reason, and what is allowed there. */
function detailsOf(issue: z.core.$ZodIssue | undefined, members: readonly string[]): RefusalDetails {
  if (issue === undefined) return {};
  const target = issue.path.length === 0 ? undefined : issue.path.join(".").slice(0, maxQuoted);
  const reason = issue.message.slice(0, maxQuoted);
  if (issue.code === "unrecognized_keys")
    return { reason, target: issue.keys[0]?.slice(0, maxQuoted), allowed: members };
  return issue.code === "invalid_value"
    ? { reason, target, allowed: issue.values.map(String) }
    : { reason, target };
}

/** Reads and validates the parts of a request that its endpoint declares. */
export async function readRequest(endpoint: Endpoint<never>, req: Request) {
  const [, ...query] = req.originalUrl.split("?");
  if (endpoint.refusesQuery === true && query.length > 0) throw new Refused("query_not_allowed");
  const parameters = readParameters(query.join("?"), Object.keys(endpoint.query.shape));
  return {
    query: validate(endpoint.query, Object.fromEntries(parameters)),
    params: validate(endpoint.params, { ...emptyParams(endpoint), ...req.params }),
    body:
      endpoint.body && validate(endpoint.body, isBodyAbsent(endpoint, req) ? {} : await readJsonBody(req)),
  };
}

const isBodyAbsent = ({ isBodyOptional = false }: Endpoint<never>, { headers }: Request): boolean =>
  isBodyOptional &&
  headers["transfer-encoding"] === undefined &&
  Number(headers["content-length"] ?? 0) === 0;

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
