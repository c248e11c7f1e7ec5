import { setTimeout } from "node:timers/promises";
import { ClientError } from "../errors.ts";

/**
 * Waits.
 *
 * @throws {ClientError} `interrupted`
 */
export async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => {
    throw new ClientError("interrupted");
  });
}

/** Polling interval: the first and the longest pause between two looks, in milliseconds. */
export type Looks = readonly [first: number, longest: number];

/** Returns the pause after another look that found nothing. */
export const longer = (pause: number, [, longest]: Looks): number => Math.min(longest, pause * 1.5);
