import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Request, Response } from "express";
import { expect, onTestFinished, test } from "vitest";
import { guardHeap, refuseWhenFull } from "../src/http/heap-guard.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

test("requests are refused while the heap is nearly full after a collection, and health is answered", async () => {
  let used = 0;
  const heap = guardHeap(() => ({ used_heap_size: used, heap_size_limit: 100 }));
  onTestFinished(heap.stop);
  const ask = (originalUrl: string) => refuseWhenFull(heap)({ originalUrl } as Request, {} as Response);
  const afterCollection = async () => {
    collect();
    await wait(50);
  };
  used = 90;
  expect(heap.isFull()).toBe(false);
  await afterCollection();
  expect(() => ask("/reso/odata/Property")).toThrow(
    expect.objectContaining({ code: "service_busy", kind: "unavailable" }),
  );
  ask("/health/live");
  used = 80;
  ask("/reso/odata/Property");
  used = 90;
  expect(heap.isFull()).toBe(true);
  used = 60;
  await afterCollection();
  used = 90;
  expect(heap.isFull()).toBe(false);
});
