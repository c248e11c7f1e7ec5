import { SingleBar } from "cli-progress";
import type { TakeOptions } from "../pull/take.ts";
import { startElapsed } from "../terminal/elapsed.ts";
import { printMessage } from "../terminal/output.ts";
import { shortDuration } from "../terminal/times.ts";

/** Milliseconds between two lines of progress. */
const reportEvery = 5000;

export type ByteProgress = {
  /** Adds to the bytes that are done. A negative number takes them back. */
  readonly add: (bytes: number) => void;
  readonly end: () => void;
};

/** Formats a number of bytes, such as `1.5 MB`. */
export function size(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

const grouped = new Intl.NumberFormat("en");

/** Formats the rows of a load and those that it has replaced: `12 rows`, `12 rows in place of 7,030`. */
export const rowsText = (rows: number, before: number): string =>
  `${grouped.format(rows)} rows${before > 0 ? ` in place of ${grouped.format(before)}` : ""}`;

/** Progress of a delivery: callbacks for a pull, and the end of what is shown. */
export type DeliveryProgress = Required<Pick<TakeOptions, "onManifest" | "onBytes" | "onLoad">> & {
  readonly end: () => void;
};

/** Shows the transfer of a delivery's bytes, and then that it is loaded. */
export function showDeliveryProgress(): DeliveryProgress {
  let bytes: ByteProgress | undefined;
  let endLoading = () => {};
  const end = () => {
    bytes?.end();
    bytes = undefined;
    endLoading();
  };
  return {
    onManifest: ({ manifest: { domain, totals } }, standing) => {
      end();
      if (standing === "done") return;
      printMessage(
        `  ${domain}: ${totals.rowCount} rows in ${totals.partCount} parts, ${size(totals.byteLength)}`,
      );
      bytes = showByteProgress(totals.byteLength);
    },
    onBytes: (count) => bytes?.add(count),
    onLoad: () => {
      end();
      endLoading = startElapsed("loading");
    },
    end,
  };
}

/** Shows progress towards `total` bytes, with rate and time left: as a bar on a terminal, otherwise as a line every five seconds. */
export function showByteProgress(total: number, now: () => number = Date.now): ByteProgress {
  const begun = now();
  let done = 0;
  const words = () => {
    const rate = done / Math.max(0.001, (now() - begun) / 1000);
    return {
      done: size(done),
      whole: size(total),
      rate: `${size(rate)}/s`,
      left: shortDuration((total - done) / rate),
    };
  };
  if (process.stderr.isTTY) {
    const bar = new SingleBar({
      format: "{bar} {percentage}% · {done} of {whole} · {rate} · {left} left",
      stream: process.stderr,
    });
    bar.start(total, 0, words());
    return {
      add: (bytes) => {
        done += bytes;
        bar.update(done, words());
      },
      end: () => bar.stop(),
    };
  }
  let told = begun;
  return {
    add: (bytes) => {
      done += bytes;
      if (now() - told < reportEvery) return;
      told = now();
      const { done: part, whole, rate, left } = words();
      printMessage(`  ${part} of ${whole}, ${rate}, ${left} left`);
    },
    end: () => {},
  };
}
