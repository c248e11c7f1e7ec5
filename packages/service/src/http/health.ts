import type { IRouter } from "express";
import type { Operation } from "./operation.ts";
import { type Readiness, readinessReasons } from "./readiness.ts";
import { addRead } from "./routes.ts";

const health = (name: string, summary: string, properties: Readonly<Record<string, object>>) =>
  ({
    method: "get",
    path: `/health/${name}`,
    tag: "Service",
    summary,
    isOpen: true,
    gives: { "application/json": { type: "object", required: ["status"], properties } },
  }) as const satisfies Operation;

const status = (...statuses: readonly string[]) => ({ type: "string", enum: statuses });

const live = health("live", "200 while the process answers", { status: status("live") });
const ready = health("ready", "200 if the service can answer new requests; else 503 with the reasons", {
  status: status("ready", "not_ready"),
  reasons: { type: "array", items: { type: "string", enum: readinessReasons } },
});

export const healthOperations: readonly Operation[] = [live, ready];

/** Adds the health checks for load balancers. They require no key. */
export function addHealth(routes: IRouter, readiness: Readiness): void {
  addRead(routes, live, (_req, res) => {
    res.json({ status: "live" });
  });
  addRead(routes, ready, async (_req, res) => {
    const reasons = await readiness.reasons();
    res.setHeader("cache-control", "no-store");
    if (reasons.length === 0) res.json({ status: "ready" });
    else res.status(503).json({ status: "not_ready", reasons });
  });
}
