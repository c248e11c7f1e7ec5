import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import helmet from "helmet";
import type { Step } from "./steps.ts";

/** Nothing that is answered here is a page: a browser loads nothing for it, and shows it in no frame. */
const contentSecurityPolicy = {
  useDefaults: false,
  directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
};

/** Headers for browsers that nobody uses any more, or for documents. */
const superfluous = {
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
} as const;

/** What helmet has to say. It is the same for every answer, and found once. */
export function securityHeaders(): Step {
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  helmet({ contentSecurityPolicy, ...superfluous })(answer.req, answer, () => {});
  const headers = new Map(Object.entries(answer.getHeaders()).map(([name, value]) => [name, String(value)]));
  return (_req, res) => void res.setHeaders(headers);
}
