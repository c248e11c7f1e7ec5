import type { Request, RequestHandler, Response } from "express";
import { requireChannelOf } from "../access/api-key.ts";
import type { Rates } from "../access/rates.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { noContent, sendAnswer, sendBodyStream } from "../http/answer.ts";
import { createBodyBudget } from "../http/body-budget.ts";
import { abortOnClientClose } from "../http/connection.ts";
import { type OdataVersion, odataRoot, requireVersion } from "../http/odata-protocol.ts";
import { logFailure } from "../http/on-error.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { isHost, requestOrigin } from "../http/request-head.ts";
import { privateResponse } from "../http/response-headers.ts";
import { chain, type Step } from "../http/routes.ts";
import type { Log } from "../log.ts";
import { createStages } from "../telemetry/stages.ts";
import { allowed, purposeOf, requireMethod, withoutQuery } from "./address.ts";
import { answerRead } from "./answer-read.ts";
import { answerBatch } from "./batch/answer-batch.ts";
import { maxBatchLength, readBatch } from "./batch/read-batch.ts";
import type { OdataRequest } from "./odata-request.ts";
import { batchTemplate, pathTemplateOf } from "./operations.ts";
import { maxPostedQuery, readPostedQuery } from "./posted-query.ts";
import { continueOnErrorOf } from "./prefer.ts";
import type { OdataServices } from "./services.ts";

/** Services that the routes need besides those of an answer. */
type RouteServices = OdataServices & { readonly log: Log; readonly rates: Rates };

/** Returns the handlers of all paths under the OData root, for authenticated callers. */
export function odataRoutes(services: RouteServices, config: Config): RequestHandler[] {
  const withBody = createBodyBudget(config);
  return [
    chain(
      requireVersion(config.odataVersion),
      announceEntitlement,
      privateResponse(variedHeaders),
      requireChannelOf("odata"),
    ),
    async (req, res) => {
      const version = res.getHeader("OData-Version") as OdataVersion;
      const request = toOdataRequest(req, version, () => abortOnClientClose(res), config);
      const path = req.originalUrl.split("?", 1)[0] ?? "";
      const purpose = purposeOf(path);
      requireMethod(req.method, purpose);
      if (req.method === "OPTIONS") return sendAnswer(res, { ...noContent, headers: allowed(purpose) });
      if (purpose === "batch")
        return withBody(req, res, maxBatchLength, () => sendBatch(req, res, request, services, config));
      const answer =
        purpose === "query"
          ? await withBody(req, res, maxPostedQuery, async () =>
              answerRead(withoutQuery(path), await withPostedQuery(request, req), services),
            )
          : await answerRead(path, request, services);
      if (config.serverTiming) res.setHeader("server-timing", request.stages.header());
      sendAnswer(res, answer, config.compression);
    },
  ];
}

/** Returns the request with the query of its body appended to that of its URL. */
async function withPostedQuery(request: OdataRequest, req: Request): Promise<OdataRequest> {
  const queries = [request.query, await readPostedQuery(req)].filter((query) => query !== "");
  return { ...request, query: queries.join("&") };
}

async function sendBatch(
  req: Request,
  res: Response,
  request: OdataRequest,
  services: RouteServices,
  { batchRequests, compression }: Config,
): Promise<void> {
  const context = findContext(req);
  if (context !== undefined) context.route = batchTemplate;
  const batch = await readBatch(req, batchRequests);
  const preference = continueOnErrorOf(req.get("prefer"));
  if (preference !== undefined) res.setHeader("preference-applied", preference);
  const replies = answerBatch(batch.items, {
    outer: { ...request, onAddress: () => {} },
    services,
    admit: () => services.rates.takeFor(callerOf(req), res),
    continueOnError: preference !== undefined,
    onError: (error, shown) => logFailure(services.log, context?.requestId, error, shown),
  });
  await sendBodyStream(res, batch.contentType, batch.write(replies), compression);
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
  clientGone: OdataRequest["clientGone"],
  { baseUrl }: Config,
): OdataRequest {
  const context = findContext(req);
  const start = req.originalUrl.indexOf("?");
  return {
    root: baseUrlOf(req, baseUrl) + odataRoot,
    query: start < 0 ? "" : req.originalUrl.slice(start + 1),
    version,
    header: (name) => req.get(name),
    scope: callerOf(req).scope,
    stages: context?.stages ?? createStages(),
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
