import { Router } from "express";

/** Whether the service should be sent new requests. */
export type Readiness = { ready: boolean };

/** Below `/health`, for load balancers; no key is asked. `ready` turns to 503 while the service stops. */
export function healthRoutes(readiness: Readiness): Router {
  const routes = Router({ caseSensitive: true });
  routes.get("/live", (_req, res) => {
    res.json({ status: "live" });
  });
  routes.get("/ready", (_req, res) => {
    res.status(readiness.ready ? 200 : 503).json({ status: readiness.ready ? "ready" : "stopping" });
  });
  return routes;
}
