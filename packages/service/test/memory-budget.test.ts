import { expect, test } from "vitest";
import { MemoryBudget } from "../src/http/memory-budget.ts";
import { defaultMemory, memoryLimits } from "../src/http/memory-limits.ts";

const budget = (options: { readonly wait?: number; readonly queue?: number } = {}) =>
  new MemoryBudget({ answers: 100, customer: 40, wait: 20, ...options });

test("the bytes of a customer are counted whatever its requests, and given back once", async () => {
  const memory = budget();
  const first = await memory.reserve("a", 30);
  const second = await memory.reserve("a", 10);
  expect(memory.reserved).toBe(40);
  await expect(memory.reserve("a", 1)).rejects.toMatchObject({
    code: "too_much_in_flight",
    kind: "rate_limited",
  });
  first.release();
  first.release();
  expect(memory.reserved).toBe(10);
  second.resize(25);
  expect(memory.reserved).toBe(25);
  second.release();
  second.resize(99);
  expect(memory.reserved).toBe(0);
});

test("when the memory of all is used, the next customer is told that the service is busy", async () => {
  const memory = budget();
  for (const customer of ["a", "b"]) await memory.reserve(customer, 40);
  await memory.reserve("c", 20);
  await expect(memory.reserve("d", 1)).rejects.toMatchObject({ code: "service_busy", kind: "unavailable" });
});

test("an answer larger than a limit is admitted alone", async () => {
  const memory = budget();
  const large = await memory.reserve("a", 1000);
  await expect(memory.reserve("b", 1)).rejects.toMatchObject({ code: "service_busy" });
  large.release();
  await memory.reserve("b", 1);
  const { release } = await memory.reserve("a", 60);
  release();
  await expect(memory.reserve("a", 1000)).rejects.toMatchObject({ code: "service_busy" });
});

test("who waits is admitted when memory is given back: its own requests in order, a smaller one of another customer before", async () => {
  const memory = budget({ wait: 5000 });
  const held = await Promise.all([memory.reserve("a", 40), memory.reserve("b", 40)]);
  const order: string[] = [];
  const wait = (customer: string, bytes: number, name: string) =>
    memory.reserve(customer, bytes).then((reservation) => {
      order.push(name);
      return reservation;
    });
  const waiting = [wait("a", 30, "a1"), wait("a", 5, "a2"), wait("c", 30, "c1")];
  expect(memory.waiting).toBe(3);
  held[1]?.release();
  await waiting[2];
  expect(order).toEqual(["c1"]);
  held[0]?.release();
  await Promise.all(waiting);
  expect(order).toEqual(["c1", "a1", "a2"]);
  expect(memory.waiting).toBe(0);
});

test("a client that has gone waits no longer, and a customer has a bound on what waits", async () => {
  const memory = budget({ wait: 5000, queue: 2 });
  const held = await memory.reserve("a", 40);
  const gone = new AbortController();
  const waiting = [memory.reserve("a", 1, gone.signal), memory.reserve("a", 2)];
  await expect(memory.reserve("a", 1)).rejects.toMatchObject({ code: "too_much_in_flight" });
  gone.abort();
  await expect(waiting[0]).rejects.toMatchObject({ code: "too_much_in_flight" });
  expect(memory.waiting).toBe(1);
  held.release();
  await waiting[1];
  expect(memory.reserved).toBe(2);
});

const gigabyte = 1024 ** 3;

test.each([
  [gigabyte / 2, 8 * gigabyte, 384],
  [gigabyte / 8, 8 * gigabyte, 256],
  [8 * gigabyte, 16 * gigabyte, 1024],
  [2 ** 64, 2 * gigabyte, 512],
  [0, 64 * gigabyte, 1024],
])("a container of %d bytes on a machine of %d plans with %d MB", (container, machine, expected) => {
  expect(defaultMemory(1, container, machine)).toBe(expected);
});

/** Megabytes of a process that serves nothing yet, and of the page caches of its connections. */
const fixed = { process: 100, pageCache: 16 };

test.each([1024, 2048, 4096])(
  "in a container of %d MB, everything at its limit is less than the whole",
  (container) => {
    const memory = defaultMemory(1, container * 1024 ** 2, 64 * gigabyte);
    const { heap, answers, bodies, heads, threadHeap, threadBuffers, pageCache } = memoryLimits(memory, 3);
    const megabytes = (bytes: number) => bytes / 1024 ** 2;
    // Three threads read for requests, one for exports, and one checks.
    const threads = 5 * threadHeap + megabytes(3 * threadBuffers + 4 * pageCache);
    // Beside those of threads that read: two each for requests and for deliveries.
    const connections = 4 * fixed.pageCache;
    expect(
      heap + megabytes(answers + bodies + 2 * heads) + threads + connections + fixed.process,
    ).toBeLessThanOrEqual(container);
  },
);

test("a customer has a quarter of the answers", () => {
  const { answers, customer } = memoryLimits(1024, 2);
  expect(customer * 4).toBe(answers);
});
