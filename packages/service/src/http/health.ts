import type { IRouter } from "express";
import { addRead } from "./routes.ts";

/** Whether the service should be sent new requests. */
export type Readiness = { ready: boolean };

/** Adds `/health`, for load balancers; no key is asked. `ready` turns to 503 while the service stops. */
export function addHealth(routes: IRouter, readiness: Readiness): void {
  addRead(routes, "/health/live", (_req, res) => {
    res.json({ status: "live" });
  });
  addRead(routes, "/health/ready", (_req, res) => {
    res.status(readiness.ready ? 200 : 503).json({ status: readiness.ready ? "ready" : "stopping" });
  });
}
