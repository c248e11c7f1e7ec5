import { SingleBar } from "cli-progress";
import { say } from "./outcome.ts";

/** A number for people. */
export const number = (value: number): string => value.toLocaleString("en-US");

/** Records between two lines of progress. */
const reportEvery = 10_000;

export type Progress = {
  /** How much is done, and how many records were read. */
  readonly at: (done: number, records: number) => void;
  readonly end: () => void;
};

/** A bar up to `whole` on a terminal; elsewhere a line from time to time. */
export function showProgress(whole: number): Progress {
  if (process.stderr.isTTY) {
    const bar = new SingleBar({ format: "{bar} {percentage}% {read} records", stream: process.stderr });
    bar.start(whole, 0, { read: 0 });
    return {
      at: (done, records) => bar.update(done, { read: number(records) }),
      end: () => bar.stop(),
    };
  }
  let reported = 0;
  return {
    at: (_done, records) => {
      if (records - reported < reportEvery) return;
      reported = records;
      say(`  ${number(records)} records read`);
    },
    end: () => {},
  };
}
