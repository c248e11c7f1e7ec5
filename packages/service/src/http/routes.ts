import type { IRouter, RequestHandler } from "express";
import { Refused } from "../errors.ts";
import type { Operation } from "./operation.ts";

/** The `Allow` header of a read-only path. */
const allow = "GET, HEAD";

/** Adds a path that answers `GET`, and thereby `HEAD`, and refuses every other method. */
export function addRead(routes: IRouter, { path }: Operation, handler: RequestHandler): void {
  routes
    .route(path)
    .get(handler)
    .all(() => {
      throw new Refused("method_not_allowed", { headers: { allow } });
    });
}
