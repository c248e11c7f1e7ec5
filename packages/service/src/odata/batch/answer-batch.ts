import { setImmediate } from "node:timers/promises";
import { Refused } from "../../errors.ts";
import { type Answer, noContent } from "../../http/answer.ts";
import { odataErrorAnswer, type PublicError, toPublicError } from "../../http/error-body.ts";
import { negotiatedVersion, type OdataVersion } from "../../http/odata-protocol.ts";
import { methodFact } from "../../telemetry/trace-span.ts";
import { allowed, purposeOf, requireMethod, withoutQuery } from "../address.ts";
import { answerRead } from "../answer-read.ts";
import type { OdataRequest } from "../odata-request.ts";
import { pathTemplateOf } from "../operations.ts";
import { postedQueryOf } from "../posted-query.ts";
import type { OdataServices } from "../services.ts";
import type { BatchItem, BatchReply } from "./batch-item.ts";
import { resolveUrl } from "./item-address.ts";

/** Context that all requests of a batch share. */
export type BatchContext = {
  /** Request of the batch itself. The requests in it inherit its root, caller and version. */
  readonly outer: OdataRequest;
  readonly services: OdataServices;
  /** Counts a request against the rate limit, and throws if it is exceeded. Each request of a batch counts. */
  readonly admit: () => void;
  /** True if the requests after a failed one are also answered. */
  readonly continueOnError: boolean;
  /** Called with each error, and with its public form that the client gets. */
  readonly onError: (error: unknown, shown: PublicError) => void;
};

/** Answers the requests of a batch one after the other, each as if it were sent alone. */
export async function* answerBatch(
  items: readonly BatchItem[],
  context: BatchContext,
): AsyncIterable<BatchReply> {
  const signal = context.outer.clientGone();
  const outer: OdataRequest = { ...context.outer, clientGone: () => signal };
  const failed = new Set<string>();
  for (const item of items) {
    // Yields to the event loop: a batch of requests that fail without waiting for anything would otherwise block it.
    await setImmediate();
    if (signal.aborted) return;
    const version = negotiatedVersion(item.header, outer.version);
    const answer = await outer.stages.timeAsync("item", (stages) =>
      answerItem(item, version, failed, { ...context, outer: { ...outer, stages } }),
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

async function answerItem(
  item: BatchItem,
  version: OdataVersion | null,
  failed: ReadonlySet<string>,
  { outer, services, admit, onError }: BatchContext,
): Promise<Answer> {
  let texts: ReadonlyMap<string, string> | undefined;
  const { span } = outer.stages;
  span?.note({ method: methodFact(item.method) });
  try {
    admit();
    if (version === null) throw new Refused("unsupported_version");
    if (item.isAtomic) throw new Refused("not_implemented");
    if (item.dependsOn.some((id) => failed.has(id))) throw new Refused("failed_dependency");
    const onOptions: OdataRequest["onOptions"] = (decoded) => {
      texts = decoded;
    };
    const onAddress: OdataRequest["onAddress"] = (kind) => span?.note({ route: pathTemplateOf(kind) });
    const inner = { ...outer, version, header: item.header, onOptions, onAddress };
    const answer = await answerOne(item, inner, services);
    span?.note({ status: answer.status });
    return answer;
  } catch (error) {
    const shown = toPublicError(error, texts);
    onError(error, shown);
    span?.note({ status: shown.status, error: shown.code });
    if (shown.status >= 500) span?.fail(shown.code);
    return odataErrorAnswer(shown);
  }
}

async function answerOne(item: BatchItem, outer: OdataRequest, services: OdataServices): Promise<Answer> {
  const { path, query } = resolveUrl(item.url, outer.root);
  const purpose = purposeOf(path);
  if (purpose === "batch") throw new Refused("not_implemented");
  requireMethod(item.method, purpose);
  if (item.method === "OPTIONS") return { ...noContent, headers: allowed(purpose) };
  if (purpose === "read") {
    const answer = await answerRead(path, { ...outer, query }, services);
    return item.method === "HEAD" ? { ...answer, body: "" } : answer;
  }
  const posted = [query, postedQueryOf(item.header("content-type"), item.body)].filter((part) => part !== "");
  return answerRead(withoutQuery(path), { ...outer, query: posted.join("&") }, services);
}
