import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";
import type { Step } from "./routes.ts";

/** No answer is a page: a browser must not load any resource for it, nor show it in a frame. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
};

/** Headers for obsolete browsers, or for documents. */
const superfluous = {
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

/** Returns a step that sets helmet's headers. They are the same for every answer, so they are computed once. */
export function securityHeaders(): Step {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ contentSecurityPolicy, ...superfluous })(answer.req, answer, () => {});
  const headers = new Map(Object.entries(answer.getHeaders()).map(([name, value]) => [name, String(value)]));
  return (_req, res) => void res.setHeaders(headers);
}

/** Returns a step that marks the answer as private to its caller, and as varying by the request headers in `decisive`. */
export const privateResponse =
  (decisive: string): Step =>
  (_req, res) => {
    res.setHeader("cache-control", "private, no-cache");
    const varied = res.getHeader("vary");
    res.setHeader("vary", varied === undefined ? decisive : `${String(varied)}, ${decisive}`);
  };
