import { Refused } from "../errors.ts";
import type { Step } from "./chain.ts";

/**
 * Headers that say where a request goes and who sends it. If one is repeated, Node keeps the first `Host` and `Authorization` and joins
 * `x-api-key`s; a proxy may have used another one than the service.
 */
const singleHeaders: ReadonlySet<string> = new Set(["host", "authorization", "x-api-key"]);

/** Lengths of those names, so that other headers are skipped without converting their names to lower case. */
const lengths: ReadonlySet<number> = new Set([...singleHeaders].map(({ length }) => length));

/** Refuses a request that repeats one of these headers, even with the same value. Source: RFC 9112, section 3.2. */
export const requireSingleHeaders: Step = ({ rawHeaders }) => {
  const seen: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] ?? "";
    if (!lengths.has(raw.length)) continue;
    const name = raw.toLowerCase();
    if (!singleHeaders.has(name)) continue;
    if (seen.includes(name)) throw new Refused("duplicate_header", { target: name });
    seen.push(name);
  }
};
