import type { IRouter } from "express";
import type { Operation } from "../openapi/operation.ts";
import { addRead } from "./routes.ts";

/** Whether the service should be sent new requests. */
export type Readiness = { ready: boolean };

const health = (name: string, summary: string, ...statuses: readonly string[]) =>
  ({
    method: "get",
    path: `/health/${name}`,
    tag: "Service",
    summary,
    isOpen: true,
    gives: {
      "application/json": { type: "object", properties: { status: { type: "string", enum: statuses } } },
    },
  }) as const satisfies Operation;

const live = health("live", "Whether the process answers", "live");
const ready = health(
  "ready",
  "Whether to send new requests; 503 while the service stops",
  "ready",
  "stopping",
);

export const healthOperations: readonly Operation[] = [live, ready];

/** For load balancers. No key is asked. */
export function addHealth(routes: IRouter, readiness: Readiness): void {
  addRead(routes, live, (_req, res) => {
    res.json({ status: "live" });
  });
  addRead(routes, ready, (_req, res) => {
    res.status(readiness.ready ? 200 : 503).json({ status: readiness.ready ? "ready" : "stopping" });
  });
}
