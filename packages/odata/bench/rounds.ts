import { corpus } from "./corpus.ts";
import { answer, start } from "./processes.ts";
import { geometricMean, median } from "./timing.ts";

const warmUp = 3;
const rounds = 15;

/** Nanoseconds for each filter of the corpus, in its order; null where the subject does not accept it. */
export type Times = readonly (number | null)[];

/**
 * Medians of rounds that take turns: a round of the first subject, one of the second, …, and again. Every
 * subject has a process of its own, so that none is slowed by what another made the compiler assume.
 */
export async function measure(subjects: readonly string[]): Promise<ReadonlyMap<string, Times>> {
  const children = subjects.map((subject) => start("worker.ts", [subject]));
  try {
    for (const [i, child] of children.entries()) {
      if ((await answer(child)) === undefined) throw new Error(`${subjects[i]} does not start`);
    }
    const samples: Times[][] = subjects.map(() => []);
    for (let round = -warmUp; round < rounds; round += 1) {
      for (const [i, child] of children.entries()) {
        child.send("round");
        const times = (await answer(child)) as Times | undefined;
        if (times === undefined) throw new Error(`${subjects[i]} ended`);
        if (round >= 0) samples[i]?.push(times);
      }
    }
    return new Map(subjects.map((subject, i) => [subject, medians(samples[i] ?? [])] as const));
  } finally {
    for (const child of children) child.kill();
  }
}

const medians = (samples: readonly Times[]): Times =>
  Object.keys(corpus).map((_, filter) => {
    const times = samples.map((round) => round[filter] ?? null);
    return times.includes(null) ? null : median(times.map(Number));
  });

/** Geometric mean over the filters with these indexes. */
export const meanOver = (times: Times, filters: readonly number[]): number =>
  geometricMean(filters.map((filter) => times[filter] ?? Number.NaN));

export const accepted = (times: Times): readonly number[] =>
  times.flatMap((time, filter) => (time === null ? [] : [filter]));

/** Nanoseconds as microseconds, in three digits. */
export const microseconds = (nanoseconds: number): string => {
  const value = nanoseconds / 1000;
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
};

/** A line of a Markdown table. */
export const line = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
export const ruler = (columns: number): string => `|---|${"--:|".repeat(columns - 1)}`;
