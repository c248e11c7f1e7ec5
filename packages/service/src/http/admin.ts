import { ok } from "@cadastre/server/parts";
import express, { type Express } from "express";
import type { Config } from "../config.ts";
import { Refused } from "../errors.ts";
import type { Log } from "../log.ts";
import { sendAnswer } from "./answer.ts";
import type { Metrics } from "./metrics.ts";
import { onError } from "./on-error.ts";
import { securityHeaders } from "./response-headers.ts";
import { chain } from "./routes.ts";
import { type Listening, listen } from "./server.ts";

/** Metrics as text. */
export type WrittenMetrics = Pick<Metrics, "write" | "contentType">;

/** Creates the application for metrics, which has its own port. It requires no API key: anyone who can reach the port can read them. */
function createAdminApp(metrics: WrittenMetrics, log: Log): Express {
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

/** Listens on the admin port, if one is configured. */
export async function listenForOperator(
  { adminHost: host, adminPort: port }: Pick<Config, "adminHost" | "adminPort">,
  metrics: WrittenMetrics | undefined,
  log: Log,
): Promise<Listening | undefined> {
  return metrics === undefined || port === undefined
    ? undefined
    : listen(createAdminApp(metrics, log), { host, port });
}
