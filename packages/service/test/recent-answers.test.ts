import { expect, test } from "vitest";
import { TtlCache } from "../src/ttl-cache.ts";

/** Answers of a source that counts how often it is asked. */
function counting() {
  let time = 0;
  let asked = 0;
  const answers = new TtlCache<number>(() => time);
  const ask = async () => ++asked;
  return { answers, ask, wait: (milliseconds: number) => (time += milliseconds) };
}

test("an answer holds for two seconds from when it was asked for", async () => {
  const { answers, ask, wait } = counting();
  const slow = () => ask().finally(() => wait(1500));
  expect(await answers.get("q", slow)).toBe(1);
  wait(499);
  expect(await answers.get("q", ask)).toBe(1);
  wait(1);
  expect(await answers.get("q", ask)).toBe(2);
});

test("those who ask at once share an answer, other questions do not", async () => {
  const { answers, ask } = counting();
  const asked = ["q", "q", "r", "q"].map((question) => answers.get(question, ask));
  expect(await Promise.all(asked)).toEqual([1, 1, 2, 1]);
});

test("a fresh answer is asked for, whoever waits for another, and is remembered", async () => {
  const { answers, ask } = counting();
  const asked = [answers.get("q", ask), answers.get("q", ask, "fresh"), answers.get("q", ask)];
  expect(await Promise.all(asked)).toEqual([1, 2, 2]);
});

test("a failure is told to those who wait for it, and is not remembered", async () => {
  const { answers, ask } = counting();
  const fail = () => Promise.reject(new Error("down"));
  const asked = [answers.get("q", fail), answers.get("q", fail)];
  await expect(Promise.all(asked)).rejects.toThrow("down");
  expect(await answers.get("q", ask)).toBe(1);
});

test("a failure that comes late does not take a later answer with it", async () => {
  const { answers, ask } = counting();
  let fail: (error: Error) => void = () => {};
  const slow = () =>
    new Promise<number>((_resolve, reject) => {
      fail = reject;
    });
  const failing = answers.get("q", slow);
  expect(await answers.get("q", ask, "fresh")).toBe(1);
  fail(new Error("down"));
  await expect(failing).rejects.toThrow("down");
  expect(await answers.get("q", ask)).toBe(1);
});

test("what is remembered has an end", async () => {
  const { answers, ask } = counting();
  for (let i = 0; i < 10_001; i++) await answers.get(`q${i}`, ask);
  expect(await answers.get("q10000", ask)).toBe(10_001);
  expect(await answers.get("q1", ask)).toBe(2);
  expect(await answers.get("q0", ask)).toBe(10_002);
});
