import type { Answer } from "../answer/answer.ts";
import { noContent } from "../answer/answer.ts";
import { answerRead } from "../answer/answer-read.ts";
import type { AnswerSession } from "../answer/answer-session.ts";
import { ProtocolError } from "../errors.ts";
import type { OdataRequest } from "../protocol/odata-request.ts";
import { postedQueryOf } from "../protocol/posted-query.ts";
import { allowed, purposeOf, requireMethod, withoutQuery } from "../protocol/resource-address.ts";
import { negotiatedVersion, type OdataVersion } from "../protocol/version.ts";
import type { BatchItem, BatchReply } from "./batch-item.ts";
import { resolveUrl } from "./item-address.ts";

/** How a host answers one request of a batch: its session, its timer, and who is told of its address and options. */
export type ItemHost = Pick<OdataRequest, "stages" | "onAddress" | "onOptions"> & {
  readonly session: AnswerSession;
};

/** Context that all requests of a batch share. */
export type BatchContext = {
  /** Request of the batch itself. The requests in it inherit its root and version. */
  readonly outer: OdataRequest;
  /** Path of the service root as the service is reached, such as `/odata`. */
  readonly ownRoot: string;
  /** True if the requests after a failed one are also answered. */
  readonly continueOnError: boolean;
  /** Answers one request by `read`, and an error of it by an answer. */
  readonly answerItem: (item: BatchItem, read: (host: ItemHost) => Promise<Answer>) => Promise<Answer>;
};

/** Resolves after other work of the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Answers the requests of a batch one after the other, each as if it were sent alone. */
export async function* answerBatch(
  items: readonly BatchItem[],
  context: BatchContext,
): AsyncIterable<BatchReply> {
  const signal = context.outer.clientGone();
  const outer: OdataRequest = { ...context.outer, clientGone: () => signal };
  const failed = new Set<string>();
  for (const item of items) {
    // A batch of requests that fail without waiting for anything would otherwise block the event loop.
    await nextTurn();
    if (signal.aborted) return;
    const version = negotiatedVersion(item.header, outer.version);
    const answer = await context.answerItem(item, (host) =>
      answerOne(item, version, failed, host, { ...context, outer }),
    );
    try {
      yield { id: item.id, version: version ?? outer.version, answer };
    } finally {
      answer.release?.();
    }
    if (answer.status < 400) continue;
    if (!context.continueOnError) return;
    if (item.id !== null) failed.add(item.id);
  }
}

async function answerOne(
  item: BatchItem,
  version: OdataVersion | null,
  failed: ReadonlySet<string>,
  { session, ...host }: ItemHost,
  { outer, ownRoot }: BatchContext,
): Promise<Answer> {
  if (version === null) throw new ProtocolError("unsupported_version");
  if (item.isAtomic) throw new ProtocolError("not_implemented");
  if (item.dependsOn.some((id) => failed.has(id))) throw new ProtocolError("failed_dependency");
  const { path, query } = resolveUrl(item.url, outer.root, ownRoot);
  const request = { ...outer, ...host, version, header: item.header, query };
  const purpose = purposeOf(path);
  if (purpose === "batch") throw new ProtocolError("not_implemented");
  requireMethod(item.method, purpose);
  if (item.method === "OPTIONS") return { ...noContent, headers: allowed(purpose) };
  if (purpose === "read") {
    const answer = await answerRead(path, request, session);
    return item.method === "HEAD" ? { ...answer, body: "" } : answer;
  }
  const posted = [query, postedQueryOf(item.header("content-type"), item.body)].filter((part) => part !== "");
  return answerRead(withoutQuery(path), { ...request, query: posted.join("&") }, session);
}
