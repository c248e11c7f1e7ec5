import { type BodyOptions, readBody } from "@cadastre/client/http";
import { isObject } from "../ingest/entry.ts";
import { parseJson } from "../ingest/exact-json.ts";
import { cut } from "../ingest/quoted-text.ts";
import { FeedError } from "./feed-error.ts";

/** A request that the feed refuses with an error status. Another attempt would not help. */
export class RefusedRequest extends FeedError {
  /** The feed's own words, cut and without secrets. Undefined if it gave none. */
  readonly said: string | undefined;
  readonly status: number;

  constructor(message: string, said: string | undefined, status: number) {
    super(message);
    this.said = said;
    this.status = status;
  }
}

/** Maximum size of an answer whose words are read, in bytes, and of the words that are quoted, in UTF-16 code units. */
const longest = { answer: 65_536, words: 300 } as const;

/**
 * Returns the words of an error answer: the message of an OData error, or a plain text. Undefined if there are none.
 *
 * @param headers headers of the request, which may have secrets that the answer repeats
 */
export async function refusalWords(
  response: Response,
  headers: Readonly<Record<string, string>>,
  signal: BodyOptions["signal"],
): Promise<string | undefined> {
  const bytes = await readBody(response.body, { signal, most: longest.answer }).catch(() => undefined);
  const text = bytes?.toString("utf8") ?? "";
  const isPlain = response.headers.get("content-type")?.startsWith("text/plain") === true;
  const message = messageIn(parseJson(text)) ?? (isPlain ? text.trim() : "");
  if (message === "") return undefined;
  // A header such as `Bearer <token>`: the token alone is replaced as well.
  const secrets = Object.values(headers).flatMap((value) => [value, value.replace(/^\w+ /, "")]);
  return cut(
    secrets.filter((secret) => secret !== "").reduce((rest, secret) => rest.replaceAll(secret, "…"), message),
    longest.words,
  ).replaceAll("`", "'");
}

function messageIn(body: unknown): string | undefined {
  const error = isObject(body) ? body["error"] : undefined;
  const message = isObject(error) ? error["message"] : undefined;
  return typeof message === "string" ? message.trim() : undefined;
}
