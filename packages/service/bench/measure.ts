import { type Cost, drive, walk } from "./drive.ts";
import type { Query } from "./queries.ts";
import { concurrency, type Subject } from "./subjects.ts";
import { median } from "./table.ts";

export type Method = {
  readonly rounds: number;
  /** Length of the round that warms up, in seconds: until the engine has compiled what a request runs through. */
  readonly warm: number;
  /** Length of a round, in seconds; of a walk its pages say it. */
  readonly seconds: number;
  readonly pages: number;
};

/** Medians for each subject, in their order. Rounds take turns: one of the first subject, one of the next, …, and again. */
export async function measure(
  subjects: readonly Subject[],
  query: Query,
  { rounds, warm, seconds, pages }: Method,
): Promise<readonly Cost[]> {
  const costs: Cost[][] = subjects.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [i, subject] of subjects.entries()) {
      const cost = query.walk
        ? await walk(subject, subject.pathOf(query, 0), round < 0 ? 10 : pages)
        : await drive(subject, (turn) => subject.pathOf(query, turn), {
            seconds: round < 0 ? warm : seconds,
            concurrency,
          });
      if (round >= 0) costs[i]?.push(cost);
    }
  }
  return costs.map(medians);
}

const medians = (costs: readonly Cost[]): Cost => ({
  cpu: median(costs.map(({ cpu }) => cpu)),
  rate: median(costs.map(({ rate }) => rate)),
  bytes: median(costs.map(({ bytes }) => bytes)),
});
