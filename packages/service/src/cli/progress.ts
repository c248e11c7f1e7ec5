import { SingleBar } from "cli-progress";
import { printMessage } from "./outcome.ts";

/** Formats a number for people: `12,345`. */
export const number = (value: number): string => value.toLocaleString("en-US");

/** Writes a number of things: `1 value`, `12,345 values`. */
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

/** Number of items, and milliseconds, after which another line of progress is due. */
const reportEvery = { items: 10_000, time: 2000 };

export type ItemProgress = {
  /** Called with the amount done, and the number of items counted. */
  readonly at: (done: number, count: number) => void;
  readonly end: () => void;
};

/**
 * Shows a bar up to `whole` on a terminal. Elsewhere, or if the total is not known, prints lines: see
 * {@link reportEvery}.
 *
 * @param counted text after the number of items, such as `files copied`
 */
export function showItemProgress(whole: number | undefined, counted = "records read"): ItemProgress {
  if (process.stderr.isTTY && whole !== undefined) {
    const bar = new SingleBar({ format: `{bar} {percentage}% {count} ${counted}`, stream: process.stderr });
    bar.start(whole, 0, { count: 0 });
    return {
      at: (done, count) => bar.update(done, { count: number(count) }),
      end: () => bar.stop(),
    };
  }
  let reported = { count: 0, time: performance.now() };
  return {
    at: (_done, count) => {
      const time = performance.now();
      if (count - reported.count < reportEvery.items && time - reported.time < reportEvery.time) return;
      reported = { count, time };
      printMessage(`  ${number(count)} ${counted}`);
    },
    end: () => {},
  };
}
