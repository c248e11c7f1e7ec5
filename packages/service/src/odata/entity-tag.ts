import { contentTag } from "@cadastre/odata";
import { Refused } from "../errors.ts";
import type { Answer } from "../http/answer.ts";
import type { OdataRequest } from "./odata-request.ts";

/** The answer with an ETag for its bytes and its media type. */
export function tagged(answer: Answer): Answer {
  const { contentType = "", body, headers } = answer;
  const pieces = typeof body === "string" ? [body] : body;
  return { ...answer, headers: { ...headers, etag: contentTag(contentType, ...pieces) } };
}

/** Whether the list of a precondition has the tag. */
const lists = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.split(",").some((item) => item.trim() === tag);

/**
 * The answer under the preconditions of the request, which count where it has an ETag: 304 if the client has it already.
 * Source: RFC 9110, section 13.2.2.
 *
 * @throws {Refused} `precondition_failed`
 */
export function underPreconditions(answer: Answer, { header }: Pick<OdataRequest, "header">): Answer {
  const tag = answer.headers?.["etag"];
  if (tag === undefined) return answer;
  const wanted = header("if-match");
  if (wanted !== undefined && !lists(wanted, tag)) throw new Refused("precondition_failed", "If-Match");
  const known = header("if-none-match")?.replaceAll("W/", "");
  if (known === undefined || !lists(known, tag)) return answer;
  const { contentType: _, ...rest } = answer;
  // The client has what it names: of the two tags of a body, compressed or not, it is told the one that it knows.
  const etag = header("if-none-match")?.includes(`W/${tag}`) === true ? `W/${tag}` : tag;
  return { ...rest, status: 304, body: "", headers: { ...answer.headers, etag } };
}
