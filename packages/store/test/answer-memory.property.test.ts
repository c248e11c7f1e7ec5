import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerMemory, releaseOnce } from "../src/sqlite/read/answer-memory.ts";

const size = 64 * 4096;

/** A task that takes buffers and answers with a part of the last one, or with nothing. */
const task = fc.record({
  takes: fc.array(fc.integer({ min: 1, max: Math.floor(size / 3) }), { maxLength: 3 }),
  from: fc.integer({ min: 0, max: 200 }),
  isAnswered: fc.boolean(),
});
/** The place of an earlier answer that is released after the task. */
const steps = fc.array(fc.tuple(task, fc.option(fc.nat(), { nil: undefined })), { maxLength: 60 });

describe("the memory of answers", () => {
  it("keeps each answer as it is until it is released, and is whole again when all are", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const memory = new AnswerMemory(size);
        const lent: { records: Uint8Array; mark: number; release: () => void }[] = [];
        all.forEach(([{ takes, from, isAnswered }, released], number) => {
          const taken = takes.map(memory.take);
          const mark = number % 251;
          for (const buffer of taken) buffer.fill(mark);
          const last = taken.at(-1);
          const records = isAnswered ? last?.subarray(Math.min(from, last.length - 1)) : undefined;
          memory.lend(records);
          if (records !== undefined)
            lent.push({ records, mark, release: releaseOnce(records, memory.giveBack) });
          if (released !== undefined && lent.length > 0) {
            const [one] = lent.splice(released % lent.length, 1);
            one?.release();
            one?.release();
          }
          for (const { records: kept, mark: own } of lent)
            expect(kept.every((byte) => byte === own)).toBe(true);
        });
        for (const { release } of lent) release();
        expect(memory.take(size).buffer).toBeInstanceOf(SharedArrayBuffer);
      }),
    );
  });

  it("gives a buffer of its own to an answer that finds no place", () => {
    const memory = new AnswerMemory(size);
    const first = memory.take(size);
    memory.lend(first);
    expect(memory.take(1).buffer).toBeInstanceOf(ArrayBuffer);
    releaseOnce(first, memory.giveBack)();
    expect(memory.take(1).buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it("overwrites what is released", () => {
    const memory = new AnswerMemory(size);
    const records = memory.take(100).fill(7);
    memory.lend(records);
    releaseOnce(records, memory.giveBack)();
    expect(records.every((byte) => byte === 0)).toBe(true);
  });
});
