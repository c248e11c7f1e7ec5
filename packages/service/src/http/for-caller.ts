import type { Step } from "./steps.ts";

/** Marks an answer as private to its caller. `decisive` are the request headers that it varies by. */
export const forCaller =
  (decisive: string): Step =>
  (_req, res) => {
    res.setHeader("cache-control", "private, no-cache");
    const varied = res.getHeader("vary");
    res.setHeader("vary", varied === undefined ? decisive : `${String(varied)}, ${decisive}`);
  };
