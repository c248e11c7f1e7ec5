import express, { type Express } from "express";
import { Refused } from "../errors.ts";
import type { Log } from "../log.ts";
import { found, sendAnswer } from "./answer.ts";
import type { Metrics } from "./metrics.ts";
import { onError } from "./on-error.ts";
import { securityHeaders } from "./security-headers.ts";
import { inOrder } from "./steps.ts";

/** What the operator asks, on a port of its own. No key is asked: who can reach the port may read it. */
export function createAdminApp(metrics: Metrics, log: Log): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(inOrder(securityHeaders()));
  app.get("/metrics", async (_req, res) => {
    sendAnswer(res, found(metrics.contentType, await metrics.write()));
  });
  app.use((_req, _res, next) => next(new Refused("not_found")));
  app.use(onError(log));
  return app;
}
