import { SingleBar } from "cli-progress";
import { say } from "./outcome.ts";

/** A number for people. */
export const number = (value: number): string => value.toLocaleString("en-US");

/** Number of items between two lines of progress. */
const reportEvery = 10_000;

export type Progress = {
  /** Called with the amount done, and the number of items counted. */
  readonly at: (done: number, count: number) => void;
  readonly end: () => void;
};

/**
 * Shows a bar up to `whole` on a terminal. Elsewhere, or if the total is not known, it prints a line from time to time.
 *
 * @param counted the items and what was done with them, such as `files copied`
 */
export function showProgress(whole: number | undefined, counted = "records read"): Progress {
  if (process.stderr.isTTY && whole !== undefined) {
    const bar = new SingleBar({ format: `{bar} {percentage}% {count} ${counted}`, stream: process.stderr });
    bar.start(whole, 0, { count: 0 });
    return {
      at: (done, count) => bar.update(done, { count: number(count) }),
      end: () => bar.stop(),
    };
  }
  let reported = 0;
  return {
    at: (_done, count) => {
      if (count - reported < reportEvery) return;
      reported = count;
      say(`  ${number(count)} ${counted}`);
    },
    end: () => {},
  };
}
