import type { Step } from "./chain.ts";

/** Returns a step that marks the answer as private to its caller, and as varying by the request headers in `decisive`. */
export const privateResponse =
  (decisive: string): Step =>
  (_req, res) => {
    res.setHeader("cache-control", "private, no-cache");
    const varied = res.getHeader("vary");
    res.setHeader("vary", varied === undefined ? decisive : `${String(varied)}, ${decisive}`);
  };
