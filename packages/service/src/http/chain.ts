import type { Request, RequestHandler, Response } from "express";

/** A synchronous middleware. It refuses the request by throwing. */
export type Step = (req: Request, res: Response) => void;

/** Combines steps into one middleware: Express matches each layer again for every request. */
export const chain =
  (...steps: readonly Step[]): RequestHandler =>
  (req, res, next) => {
    for (const step of steps) step(req, res);
    next();
  };
