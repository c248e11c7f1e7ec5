import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { anySignal } from "../src/http/index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

test("a time limit that nothing else holds aborts, after garbage was collected", async () => {
  const stopped = new AbortController();
  const signals = Array.from({ length: 20 }, () => anySignal(stopped.signal, AbortSignal.timeout(200)));
  await setTimeout(10);
  collectGarbage();
  await expect.poll(() => signals.filter(({ aborted }) => aborted).length).toBe(signals.length);
  expect(signals[0]?.reason).toMatchObject({ name: "TimeoutError" });
});

test("each of several signals aborts, and none is needed", () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const both = anySignal(first.signal, undefined, second.signal);
  expect(both.aborted).toBe(false);
  second.abort();
  expect(both.aborted).toBe(true);
  expect(anySignal(undefined).aborted).toBe(false);
});
