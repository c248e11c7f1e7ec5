import type { Answer } from "../../http/answer.ts";
import type { HeaderReader, OdataVersion } from "../protocol.ts";

/** One request of a batch. */
export type BatchItem = {
  /** Its `id` in JSON, its `Content-ID` in a multipart body. */
  readonly id: string | null;
  readonly method: string;
  /** As it was written: absolute, with a path from the host's root, or relative to the service root. */
  readonly url: string;
  readonly header: HeaderReader;
  readonly body: string;
  /** Ids of requests before it that must have succeeded. */
  readonly dependsOn: readonly string[];
  /** Whether it is to be done together with others or not at all. */
  readonly isAtomic: boolean;
};

/** What is answered to one request of a batch. */
export type BatchReply = {
  readonly id: string | null;
  readonly version: OdataVersion;
  /** Its memory goes back to the store when the next reply is asked for. */
  readonly answer: Answer;
};

/** A batch that was read, and how it is answered. */
export type Batch = {
  readonly items: readonly BatchItem[];
  readonly contentType: string;
  /** The body of the answer, piece by piece, as the replies come. */
  readonly write: (replies: AsyncIterable<BatchReply>) => AsyncIterable<string | Uint8Array>;
};

/** The headers of a reply, beside its length. */
export const replyHeaders = ({
  version,
  answer: { contentType, headers },
}: BatchReply): Readonly<Record<string, string>> => ({
  "odata-version": version,
  ...(contentType === undefined ? {} : { "content-type": contentType }),
  ...headers,
});

/** Gives the value of a header by its name, among those of an object in any letter case. */
export function headerReader(headers: Iterable<readonly [string, string]>): HeaderReader {
  const values = new Map<string, string>();
  for (const [name, value] of headers) values.set(name.toLowerCase(), value);
  return (name) => values.get(name);
}
