import type { Step } from "./steps.ts";

/** Says that an answer is for its caller alone, and which headers of the request have a say in it. */
export const forCaller =
  (decisive: string): Step =>
  (_req, res) => {
    res.setHeader("cache-control", "private, no-cache");
    const varied = res.getHeader("vary");
    res.setHeader("vary", varied === undefined ? decisive : `${String(varied)}, ${decisive}`);
  };
