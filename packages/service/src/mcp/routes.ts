import type { IRouter, Request } from "express";
import { type Authentication, requireApiKey } from "../access/api-key.ts";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import { sendAnswer } from "../http/answer.ts";
import { abortOnClientClose } from "../http/connection.ts";
import { logFailure } from "../http/on-error.ts";
import { readJsonBody } from "../http/request-body.ts";
import { callerOf, findContext } from "../http/request-context.ts";
import { privateResponse } from "../http/response-headers.ts";
import { chain } from "../http/routes.ts";
import type { Log } from "../log.ts";
import { answerSettings } from "../odata/services.ts";
import { createStages } from "../telemetry/stages.ts";
import type { ToolServices } from "./tool.ts";

type McpServices = Authentication & ToolServices & { readonly log: Log };

/** Headers that the protocol reads. */
const protocolHeaders = ["accept", "content-type", "mcp-protocol-version"] as const;

const headersOf = (req: Request): Readonly<Record<string, string>> =>
  Object.fromEntries(
    protocolHeaders.flatMap((name) => {
      const text = req.get(name);
      return text === undefined ? [] : [[name, text]];
    }),
  );

/**
 * Adds the address `/mcp`, where language models call tools (Model Context Protocol, revision 2025-06-18, streamable HTTP). There are no
 * sessions and no streams: a message is answered as JSON.
 */
export function addMcp(
  routes: IRouter,
  services: McpServices,
  { compression }: Pick<Config, "compression">,
): void {
  const settings = answerSettings(services);
  const decisive = privateResponse("x-api-key, authorization, accept, accept-encoding");
  const route = routes.route("/mcp");
  route.post(chain(decisive), requireApiKey(services), async (req, res) => {
    const context = findContext(req);
    if (context !== undefined) context.route = "/mcp";
    const message = await readJsonBody(req);
    // One request takes one token of the rate limit.
    if (Array.isArray(message))
      throw new Refused("invalid_request", { reason: "send one message at a time" });
    // Loaded when it is first asked for: most services have no use for it.
    const { answerMcp } = await import("./mcp-server.ts");
    const { scope, keyId } = callerOf(req);
    const answer = await answerMcp(headersOf(req), message, {
      scope,
      keyId,
      services,
      settings,
      stages: context?.stages ?? createStages(),
      clientGone: () => abortOnClientClose(res),
      onError: (error, shown) => {
        if (context !== undefined) context.errorCode = shown.code;
        logFailure(services.log, context?.requestId, error, shown);
      },
    });
    sendAnswer(res, answer, compression);
  });
  route.all(() => {
    throw new Refused("method_not_allowed", { headers: { allow: "POST" } });
  });
}
