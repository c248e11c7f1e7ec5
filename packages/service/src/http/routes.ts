import type { IRouter, Request, RequestHandler, Response } from "express";
import { Refused } from "../errors.ts";
import type { Operation } from "./operation.ts";

/** A synchronous middleware. It refuses the request by throwing. */
export type Step = (req: Request, res: Response) => void;

/** Combines steps into one middleware: Express matches each layer again for every request. */
export const chain =
  (...steps: readonly Step[]): RequestHandler =>
  (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };

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
