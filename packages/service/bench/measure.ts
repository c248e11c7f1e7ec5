import { type Cost, drive, walk } from "./drive.ts";
import type { Query } from "./queries.ts";
import { concurrency, type Subject } from "./subjects.ts";
import { median } from "./table.ts";

export type Method = {
  readonly rounds: number;
  /** Duration of the warm-up round, in seconds: long enough for the JIT compiler. */
  readonly warm: number;
  /** Duration of a round, in seconds. A round of a walk has `pages` pages instead. */
  readonly seconds: number;
  readonly pages: number;
};

/** Measures a query. Returns the medians for each subject. The rounds alternate between the subjects. */
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
