import express, { type Express } from "express";
import { Refused } from "../errors.ts";
import type { Log } from "../log.ts";
import { ok, sendAnswer } from "./answer.ts";
import type { Metrics } from "./metrics.ts";
import { onError } from "./on-error.ts";
import { securityHeaders } from "./response-headers.ts";
import { chain } from "./routes.ts";

/** Creates the application for metrics, which has its own port. It requires no API key: anyone who can reach the port can read them. */
export function createAdminApp(metrics: Metrics, log: Log): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(chain(securityHeaders()));
  app.get("/metrics", async (_req, res) => {
    sendAnswer(res, ok(metrics.contentType, await metrics.write()));
  });
  app.use((_req, _res, next) => next(new Refused("not_found")));
  app.use(onError(log));
  return app;
}
