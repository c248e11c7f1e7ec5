import { toleratedSkew } from "../elapsed.ts";

const day = 86_400_000;
const minute = 60_000;

export type Cadence = {
  readonly cadenceSeconds: number;
  readonly preferredMinuteOfDay: number | null;
};

/**
 * True if a delivery is due later than `at`. A due time further ahead than the cadence allows was set before the clock was set back, so the
 * delivery is due now.
 */
export const isDueLater = (
  due: number | null,
  at: number,
  { cadenceSeconds }: Pick<Cadence, "cadenceSeconds">,
) => due !== null && due > at && due - cadenceSeconds * 1000 - toleratedSkew <= at;

/**
 * Returns when the next delivery is due, in milliseconds since 1970: one cadence after `at`. If the cadence is a whole number of days and
 * a minute is preferred, it is the last such minute (UTC) up to then, so that due times do not drift through the day.
 *
 * @param at creation time of the last delivery. If that was late, missed deliveries are not made up for
 */
export function dueAfter(at: number, { cadenceSeconds, preferredMinuteOfDay }: Cadence): number {
  const due = at + cadenceSeconds * 1000;
  if (preferredMinuteOfDay === null || (cadenceSeconds * 1000) % day !== 0) return due;
  const preferred = preferredMinuteOfDay * minute;
  return Math.floor((due - preferred) / day) * day + preferred;
}
