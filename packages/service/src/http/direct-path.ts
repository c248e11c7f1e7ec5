import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";
import { Refused } from "../errors.ts";

/** Scheme and host of a request target in absolute form, which proxies send. Source: RFC 9112, section 3.2.2. */
const origin = /^https?:\/\/[^/?#]*/i;

type DirectPath = {
  /** True if the handlers answer the requests of a path, as received and with its query. */
  readonly matches: (url: string) => boolean;
  /** Called one after the other. The last one answers. */
  readonly handlers: readonly RequestHandler[];
  readonly onError: ErrorRequestHandler;
};

/**
 * Has handlers answer the requests that match, before the router of the application sees them: it would match layer after layer, and make
 * closures for each. Targets in absolute form lose their origin here, because a router that has begun with one goes on to cut paths by it.
 */
export function answerDirectly(app: Express, { matches, handlers, onError }: DirectPath): void {
  const entry = app as unknown as { handle: RequestHandler };
  const byRouter = entry.handle;
  const run = (req: Request, res: Response, at: number): void => {
    const fail = (error: unknown): void => void onError(error, req, res, () => req.socket.destroy());
    const next = (error?: unknown) => (error === undefined ? run(req, res, at + 1) : fail(error));
    try {
      const handler = handlers[at];
      if (handler === undefined) throw new Refused("not_found");
      const running: unknown = handler(req, res, next);
      if (running instanceof Promise) running.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  entry.handle = (req, res, next) => {
    if (!req.url.startsWith("/")) req.url = req.url.replace(origin, "") || "/";
    // Addresses are told from here on, also if the application is mounted in another one.
    req.originalUrl = req.url;
    if (!matches(req.url)) {
      void byRouter.call(app, req, res, next);
      return;
    }
    // Without effect on the server's own messages, which have these prototypes.
    Object.setPrototypeOf(req, app.request);
    Object.setPrototypeOf(res, app.response);
    req.res = res;
    run(req, res, 0);
  };
}
