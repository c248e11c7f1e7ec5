import type { Request, RequestHandler, Response } from "express";

/** Something that every request goes through, at once. What it throws refuses the request. */
export type Step = (req: Request, res: Response) => void;

/** Steps as one layer: Express matches every layer anew for each request. */
export const inOrder =
  (...steps: readonly Step[]): RequestHandler =>
  (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };
