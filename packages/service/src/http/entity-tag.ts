import { contentTag } from "@cadastre/odata/run";
import { Refused } from "../errors.ts";
import type { Answer } from "./answer.ts";
import type { HeaderReader } from "./odata-protocol.ts";

/** Adds an ETag for the bytes and media type of the answer. */
export function tagged(answer: Answer): Answer {
  const { contentType = "", body, headers } = answer;
  const pieces = typeof body === "string" ? [body] : body;
  return { ...answer, headers: { ...headers, etag: contentTag(contentType, ...pieces) } };
}

/** True if the list of a precondition contains the tag. */
const lists = (list: string, tag: string): boolean =>
  list.trim() === "*" || list.split(",").some((item) => item.trim() === tag);

/**
 * Evaluates the preconditions of the request on an answer that has an ETag. Returns 304 if the client already has the answer.
 * Source: RFC 9110, section 13.2.2.
 *
 * @throws {Refused} `precondition_failed`
 */
export function underPreconditions(answer: Answer, { header }: { readonly header: HeaderReader }): Answer {
  const tag = answer.headers?.["etag"];
  if (tag === undefined) return answer;
  const wanted = header("if-match");
  if (wanted !== undefined && !lists(wanted, tag))
    throw new Refused("precondition_failed", { target: "If-Match" });
  const known = header("if-none-match")?.replaceAll("W/", "");
  if (known === undefined || !lists(known, tag)) return answer;
  const { contentType: _, ...rest } = answer;
  // A body has a strong tag, and a weak one if it is compressed. The answer repeats the one that the client has sent.
  const etag = header("if-none-match")?.includes(`W/${tag}`) === true ? `W/${tag}` : tag;
  return { ...rest, status: 304, body: "", headers: { ...answer.headers, etag } };
}
