import { setTimeout } from "node:timers/promises";
import { ClientError } from "../errors.ts";

/**
 * Do nothing for some milliseconds.
 *
 * @throws {ClientError} `interrupted`
 */
export async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => {
    throw new ClientError("interrupted");
  });
}

/** The shortest and the longest pause between two looks at what is not there yet, in milliseconds. */
export type Looks = readonly [first: number, longest: number];

/** The pause after the next look that has found nothing. */
export const longer = (pause: number, [, longest]: Looks): number => Math.min(longest, pause * 1.5);
