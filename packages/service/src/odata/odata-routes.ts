import {
  type Answer,
  allowed,
  answerBatch,
  answerRead,
  type BatchItem,
  batchParser,
  continueOnErrorOf,
  type ItemHost,
  maxBatchLength,
  maxPostedQuery,
  noContent,
  type OdataRequest,
  type OdataVersion,
  postedQueryOf,
  purposeOf,
  requireMethod,
  requireQueryType,
  withoutQuery,
} from "@cadastre/server/parts";
import type { Request, RequestHandler, Response } from "express";
import { requireChannelOf } from "../access/api-key.ts";
import type { Rates } from "../access/rates.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { sendAnswer, sendBodyStream } from "../http/answer.ts";
import { createBodyBudget } from "../http/body-budget.ts";
import { abortOnClientClose } from "../http/connection.ts";
import { odataErrorAnswer, toPublicError } from "../http/error-body.ts";
import { odataRoot, requireVersion } from "../http/odata-protocol.ts";
import { logFailure } from "../http/on-error.ts";
import { readRequestBody } from "../http/request-body.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { isHost, requestOrigin } from "../http/request-head.ts";
import { privateResponse } from "../http/response-headers.ts";
import { chain, type Step } from "../http/routes.ts";
import type { Log } from "../log.ts";
import { createStages, type Stages } from "../telemetry/stages.ts";
import { methodFact } from "../telemetry/trace-span.ts";
import { batchTemplate, pathTemplateOf } from "./operations.ts";
import { answerSettings, type OdataServices, sessionOf } from "./services.ts";

/** Services that the routes need besides those of an answer. */
type RouteServices = OdataServices & { readonly log: Log; readonly rates: Rates };

/** Returns the handlers of all paths under the OData root, for authenticated callers. */
export function odataRoutes(services: RouteServices, config: Config): RequestHandler[] {
  const withBody = createBodyBudget(config);
  const settings = answerSettings(services);
  const toSession = (stages: Stages, req: Request) =>
    sessionOf(services, settings, { scope: callerOf(req).scope, stages });
  return [
    chain(
      requireVersion(config.odataVersion),
      announceEntitlement,
      privateResponse(variedHeaders),
      requireChannelOf("odata"),
    ),
    async (req, res) => {
      const version = res.getHeader("OData-Version") as OdataVersion;
      const stages = findContext(req)?.stages ?? createStages();
      const request = toOdataRequest(req, version, stages, () => abortOnClientClose(res), config);
      const path = (req.originalUrl.split("?", 1)[0] ?? "").slice(odataRoot.length);
      const purpose = purposeOf(path);
      requireMethod(req.method, purpose);
      if (req.method === "OPTIONS") return sendAnswer(res, { ...noContent, headers: allowed(purpose) });
      if (purpose === "batch")
        return withBody(req, res, maxBatchLength, () =>
          sendBatch(req, res, { request, stages, toSession }, services, config),
        );
      const session = toSession(stages, req);
      const answer =
        purpose === "query"
          ? await withBody(req, res, maxPostedQuery, async () =>
              answerRead(withoutQuery(path), await withPostedQuery(request, req), session),
            )
          : await answerRead(path, request, session);
      if (config.serverTiming) res.setHeader("server-timing", stages.header());
      sendAnswer(res, answer, config.compression);
    },
  ];
}

/** Returns the request with the query of its body appended to that of its URL. */
async function withPostedQuery(request: OdataRequest, req: Request): Promise<OdataRequest> {
  const contentType = req.get("content-type");
  requireQueryType(contentType);
  const posted = postedQueryOf(contentType, await readRequestBody(req, maxPostedQuery));
  return { ...request, query: [request.query, posted].filter((query) => query !== "").join("&") };
}

/** The request of a batch, and what answers those in it. */
type OuterRequest = {
  readonly request: OdataRequest;
  readonly stages: Stages;
  readonly toSession: (stages: Stages, req: Request) => ItemHost["session"];
};

async function sendBatch(
  req: Request,
  res: Response,
  { request, stages, toSession }: OuterRequest,
  { log, rates }: RouteServices,
  { batchRequests, compression }: Config,
): Promise<void> {
  const context = findContext(req);
  if (context !== undefined) context.route = batchTemplate;
  const parse = batchParser(req.get("content-type"));
  const batch = parse(await readRequestBody(req, maxBatchLength), batchRequests);
  const preference = continueOnErrorOf(req.get("prefer"));
  if (preference !== undefined) res.setHeader("preference-applied", preference);
  const replies = answerBatch(batch.items, {
    outer: request,
    ownRoot: odataRoot,
    continueOnError: preference !== undefined,
    answerItem: (item, read) =>
      stages.timeAsync("item", (within) =>
        answerItem(
          item,
          within,
          async (host) => {
            // Each request of a batch counts against the rate limit.
            rates.takeFor(callerOf(req), res);
            return read({ ...host, stages: within, session: toSession(within, req) });
          },
          (error, shown) => logFailure(log, context?.requestId, error, shown),
        ),
      ),
  });
  await sendBodyStream(res, batch.contentType, batch.write(replies), compression);
}

/** Answers one request of a batch by `read`. Its error becomes an answer, and its facts are noted in the span of its stages. */
async function answerItem(
  item: BatchItem,
  { span }: Stages,
  read: (host: Pick<ItemHost, "onAddress" | "onOptions">) => Promise<Answer>,
  onError: (error: unknown, shown: ReturnType<typeof toPublicError>) => void,
): Promise<Answer> {
  let texts: ReadonlyMap<string, string> | undefined;
  span?.note({ method: methodFact(item.method) });
  try {
    const answer = await read({
      onAddress: (kind) => span?.note({ route: pathTemplateOf(kind) }),
      onOptions: (decoded) => {
        texts = decoded;
      },
    });
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

/** Request headers that the answer varies by. */
const variedHeaders =
  "x-api-key, authorization, accept, prefer, odata-version, odata-maxversion, accept-encoding";

/** Sends the version of the entitlement that the answer, or the error, was restricted to. */
const announceEntitlement: Step = (req, res) => {
  res.setHeader("entitlement-version", callerOf(req).scope.version);
};

function toOdataRequest(
  req: Request,
  version: OdataVersion,
  stages: Stages,
  clientGone: OdataRequest["clientGone"],
  { baseUrl }: Config,
): OdataRequest {
  const context = findContext(req);
  const start = req.originalUrl.indexOf("?");
  return {
    root: baseUrlOf(req, baseUrl) + odataRoot,
    query: start < 0 ? "" : req.originalUrl.slice(start + 1),
    version,
    header: headersOf(req),
    stages,
    clientGone,
    onAddress: (kind) => {
      if (context !== undefined)
        context.route = pathTemplateOf(kind) + (req.method === "POST" ? "/$query" : "");
    },
    onOptions: (texts) => {
      if (context !== undefined) context.optionTexts = texts;
    },
  };
}

/** Returns a reader of the headers by their names in lower case, which is how Node keeps them: Express would convert each name again. */
const headersOf =
  ({ headers }: Request): OdataRequest["header"] =>
  (name) =>
    headers[name] as string | undefined;

/**
 * Returns the base URL for links: the configured one, or else the one that the client used.
 *
 * @throws {Refused} `invalid_host` if a trusted proxy sends an invalid host
 */
function baseUrlOf(req: Request, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const { scheme, host } = requestOrigin(req);
  if (host === "") return `${scheme}://${ownHost(req)}`;
  if (!isHost(host)) throw new Refused("invalid_host");
  return `${scheme}://${host}`;
}

/** Returns the host of the connection. HTTP/1.0 requests may have no `Host` header. */
function ownHost({ socket: { localAddress = "127.0.0.1", localPort = 80 } }: Request): string {
  return `${localAddress.includes(":") ? `[${localAddress}]` : localAddress}:${localPort}`;
}
