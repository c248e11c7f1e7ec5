import type { Answer } from "../answer/answer.ts";
import type { HeaderReader, OdataVersion } from "../protocol/version.ts";

/** One request of a batch. */
export type BatchItem = {
  /** `id` in JSON; `Content-ID` in a multipart body. */
  readonly id: string | null;
  readonly method: string;
  /** URL as in the batch: absolute, an absolute path, or relative to the service root. */
  readonly url: string;
  readonly header: HeaderReader;
  readonly body: string;
  /** Ids of earlier requests that must have succeeded. */
  readonly dependsOn: readonly string[];
  /** True if the request is in an atomicity group or change set, or is conditional. Such requests are refused. */
  readonly isAtomic: boolean;
};

/** Answer to one request of a batch. */
export type BatchReply = {
  readonly id: string | null;
  readonly version: OdataVersion;
  /** Its memory is released when the next reply is requested. */
  readonly answer: Answer;
};

/** Parsed batch, and the writer of its answer. */
export type ParsedBatch = {
  readonly items: readonly BatchItem[];
  readonly contentType: string;
  /** Streams the body of the answer as the replies arrive. */
  readonly write: (replies: AsyncIterable<BatchReply>) => AsyncIterable<string | Uint8Array>;
};

/** Returns the headers of a reply, except for its length. */
export const replyHeaders = ({
  version,
  answer: { contentType, headers },
}: BatchReply): Readonly<Record<string, string>> => ({
  "odata-version": version,
  ...(contentType === undefined ? {} : { "content-type": contentType }),
  ...headers,
});

/** Returns a reader of headers whose names may have any letter case. */
export function headerReader(headers: Iterable<readonly [string, string]>): HeaderReader {
  const values = new Map<string, string>();
  for (const [name, value] of headers) values.set(name.toLowerCase(), value);
  return (name) => values.get(name);
}
