import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import { byteLengthOf, copiedSlicesOf } from "../answer/answer.ts";
import { ProtocolError } from "../errors.ts";
import {
  type BatchItem,
  type BatchReply,
  headerReader,
  type ParsedBatch,
  replyHeaders,
} from "./batch-item.ts";

/** Headers, and the content after the empty line. */
type Message = { readonly headers: readonly (readonly [string, string])[]; readonly content: string };

/**
 * Parses a batch in `multipart/mixed`. Lines may end with a bare line feed, which some clients send.
 * Source: OData Protocol 4.01, section 11.7.7; RFC 2046, section 5.1.
 *
 * @param limit maximum number of requests
 * @throws {ProtocolError} `invalid_batch`, `body_too_large`
 */
export function readMultipartBatch(body: string, boundary: string, limit: number): ParsedBatch {
  const answered = `batchresponse_${randomUUID()}`;
  return {
    items: partsOf(body, boundary, limit).map(toItem),
    contentType: `multipart/mixed;boundary=${answered}`,
    write: (replies) => write(replies, answered),
  };
}

/** Maximum number of header lines of a part, and of the request in it. */
const maxHeaders = 100;

/** Splits the body into parts. @throws {ProtocolError} if there are more than `limit`, or the closing delimiter (`--boundary--`) is missing */
function partsOf(body: string, boundary: string, limit: number): readonly string[] {
  const delimiter = new RegExp(
    `(?:^|\\r?\\n)--${boundary.replace(/\W/g, "\\$&")}(--)?[ \\t]*(?=\\r?\\n|$)`,
    "g",
  );
  const parts: string[] = [];
  let start: number | undefined;
  for (const { 0: found, 1: dashes, index } of body.matchAll(delimiter)) {
    if (start !== undefined) parts.push(body.slice(start, index).replace(/^\r?\n/, ""));
    if (parts.length > limit) throw new ProtocolError("body_too_large");
    if (dashes !== undefined) return parts;
    start = index + found.length;
  }
  throw new ProtocolError("invalid_batch");
}

function toItem(part: string, i: number): BatchItem {
  const place = `part ${i + 1}`;
  const { headers, content } = toMessage(part, place);
  const header = headerReader(headers);
  const type = header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "multipart/mixed") return changeSet;
  if (type !== "application/http") throw new ProtocolError("invalid_batch", { target: place });
  const [, line = "", rest = ""] = /^([^\r\n]*)(?:\r?\n)?(.*)$/s.exec(content.trimStart()) ?? [];
  const { method, url } = /^(?<method>[A-Z]+) (?<url>\S+) HTTP\/1\.\d$/.exec(line.trimEnd())?.groups ?? {};
  if (method === undefined || url === undefined) throw new ProtocolError("invalid_batch", { target: place });
  const request = toMessage(rest, place);
  const own = headerReader(request.headers);
  const id = header("content-id") ?? own("content-id") ?? null;
  if (id !== null && !/^[ -~]{1,128}$/.test(id)) throw new ProtocolError("invalid_batch", { target: place });
  return { id, method, url, header: own, body: request.content, dependsOn: [], isAtomic: false };
}

/** Stands for a change set. Its content is not parsed, because the service is read-only and refuses it. */
const changeSet: BatchItem = {
  id: null,
  method: "POST",
  url: "",
  header: () => undefined,
  body: "",
  dependsOn: [],
  isAtomic: true,
};

function toMessage(text: string, place: string): Message {
  const { index = text.length, 0: blankLine = "" } = /(?:^|\r?\n)\r?\n/.exec(text) ?? {};
  const lines = text.slice(0, index).split(/\r?\n/, maxHeaders + 1);
  if (lines.length > maxHeaders) throw new ProtocolError("invalid_batch", { target: place });
  const headers = lines.flatMap((line) => {
    if (line === "") return [];
    const { name, value } = /^(?<name>[\w!#$%&'*+.^`|~-]+):(?<value>.*)$/.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined)
      throw new ProtocolError("invalid_batch", { target: place });
    return [[name, value.trim()] as const];
  });
  return { headers, content: text.slice(index + blankLine.length) };
}

async function* write(
  replies: AsyncIterable<BatchReply>,
  boundary: string,
): AsyncIterable<string | Uint8Array> {
  for await (const reply of replies) {
    const { id, answer } = reply;
    yield lines(
      `--${boundary}`,
      "Content-Type: application/http",
      "Content-Transfer-Encoding: binary",
      ...(id === null ? [] : [`Content-ID: ${id}`]),
      "",
      `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
      ...Object.entries(replyHeaders(reply)).map(([name, value]) => `${name}: ${value}`),
      `content-length: ${byteLengthOf(answer.body)}`,
      "",
    );
    yield* copiedSlicesOf(answer.body);
    yield "\r\n";
  }
  yield lines(`--${boundary}--`);
}

const lines = (...each: readonly string[]): string => each.map((line) => `${line}\r\n`).join("");
