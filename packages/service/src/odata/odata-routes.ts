import type { Request, RequestHandler, Response } from "express";
import { requireChannelOf } from "../access/api-key.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { sendAnswer } from "../http/answer.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { createStages } from "../http/stages.ts";
import { inOrder, type Step } from "../http/steps.ts";
import { answerRead } from "./answer-read.ts";
import { baseUrlOf } from "./base-url.ts";
import type { OdataRequest } from "./odata-request.ts";
import { type OdataVersion, odataRoot, requireVersion } from "./protocol.ts";
import type { OdataServices } from "./services.ts";

/** Everything under the OData root, for callers that the edge has let in. */
export function odataRoutes(services: OdataServices, config: Config): RequestHandler[] {
  return [
    inOrder(requireVersion(config.odataVersion), announceEntitlement, requireChannelOf("odata"), requireRead),
    async (req, res) => {
      const version = res.getHeader("OData-Version") as OdataVersion;
      const request = toOdataRequest(req, version, () => signalOfClose(res), config);
      const path = req.originalUrl.split("?", 1)[0] ?? "";
      const answer = await answerRead(path, request, services);
      if (config.serverTiming) res.setHeader("server-timing", request.stages.header());
      sendAnswer(res, answer);
    },
  ];
}

/** Which entitlement the answer is restricted to, errors too. An answer is for its caller alone. */
const announceEntitlement: Step = (req, res) => {
  res.setHeader("entitlement-version", callerOf(req).scope.version);
  res.setHeader("cache-control", "private, no-cache");
  res.setHeader("vary", "x-api-key, authorization, accept, prefer, odata-version, odata-maxversion");
};

/** Refuses every method but `GET` and `HEAD`. */
const requireRead: Step = ({ method }) => {
  if (method !== "GET" && method !== "HEAD") throw new Refused("method_not_allowed");
};

function signalOfClose(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

function toOdataRequest(
  req: Request,
  version: OdataVersion,
  gone: OdataRequest["gone"],
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
    gone,
    onOptions: (texts) => {
      if (context !== undefined) context.optionTexts = texts;
    },
  };
}
