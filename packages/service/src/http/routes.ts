import type { IRouter, RequestHandler } from "express";
import { Refused } from "../errors.ts";
import type { Operation } from "../openapi/operation.ts";

/** The header `Allow` of an address that is only read. */
export const allow = "GET, HEAD";

/** Adds an address that is read with `GET`, and so with `HEAD`; every other method is refused. */
export function addRead(routes: IRouter, { path }: Operation, handler: RequestHandler): void {
  routes
    .route(path)
    .get(handler)
    .all(() => {
      throw new Refused("method_not_allowed", null, { allow });
    });
}
