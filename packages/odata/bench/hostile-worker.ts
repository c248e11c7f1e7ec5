/*
 * A process of `hostile.ts`: one call, and what it came to.
 */
import { once } from "node:events";
import { hostile } from "./hostile-filters.ts";
import { subjectOf } from "./subjects.ts";

const [subject = "", name = ""] = process.argv.slice(2);
const filter = hostile[name] ?? "";
const call = (await subjectOf(subject))(filter);
const go = once(process, "message");
process.send?.("ready");
await go;

const begin = performance.now();
const what = outcome();
process.send?.({ what, time: performance.now() - begin });
process.disconnect();

function outcome(): string {
  try {
    call();
    return "accepted";
  } catch (error) {
    if (error instanceof RangeError) return "stack overflow";
    return error instanceof Error && "code" in error ? String(error.code) : "refused";
  }
}
