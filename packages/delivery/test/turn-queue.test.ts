import { expect, test } from "vitest";
import { TurnQueue } from "../src/turn-queue.ts";

/** Keeps the thread busy. */
function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("tasks begin in the order of arrival, those that go first before the others", async () => {
  const queue = new TurnQueue(10);
  const begun: string[] = [];
  const task = async (name: string, begin: Promise<void>) => {
    await begin;
    begun.push(name);
  };
  await Promise.all([
    task("a", queue.next()),
    task("b", queue.next()),
    task("c", queue.first()),
    task("d", queue.next()),
  ]);
  await task("e", queue.next());
  expect(begun).toEqual(["c", "a", "b", "d", "e"]);
});

test("after its share, the queue lets the event loop turn", async () => {
  const queue = new TurnQueue(10);
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  count();
  const tasksIn = new Map<number, number>();
  const task = async () => {
    await queue.next();
    work(4);
    tasksIn.set(turn, (tasksIn.get(turn) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: 20 }, task));
  isOver = true;
  expect(Math.max(...tasksIn.values())).toBeLessThanOrEqual(3);
  expect(tasksIn.size).toBeGreaterThanOrEqual(7);
});
