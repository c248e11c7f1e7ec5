import { Refused } from "../errors.ts";
import type { Step } from "./steps.ts";

/**
 * Headers that say where a request goes and who sends it. Node keeps the first `Host` and `Authorization` and joins `x-api-key`s, and a
 * proxy may have read another one than the service does.
 */
const singleHeaders: ReadonlySet<string> = new Set(["host", "authorization", "x-api-key"]);

/** Lengths of those names: the other headers of a request are passed over without a copy in lower case. */
const lengths: ReadonlySet<number> = new Set([...singleHeaders].map(({ length }) => length));

/** Refuses a request that repeats one of these headers, also with the same value. Source: RFC 9112, section 3.2. */
export const requireSingleHeaders: Step = ({ rawHeaders }) => {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? "";
    if (!lengths.has(raw.length)) continue;
    const name = raw.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name)) throw new Refused("duplicate_header", name);
    seen.push(name);
  }
};
