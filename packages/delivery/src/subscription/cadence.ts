import { toleratedSkew } from "@cadastre/store/registry";

const day = 86_400_000;
const minute = 60_000;

export type Cadence = {
  readonly cadenceSeconds: number;
  readonly preferredMinuteOfDay: number | null;
};

/**
 * True if a delivery is due later than `at`. One that is due later than its cadence allows was scheduled before the clock was set back, and
 * does not wait.
 */
export const isDueLater = (
  due: number | null,
  at: number,
  { cadenceSeconds }: Pick<Cadence, "cadenceSeconds">,
) => due !== null && due > at && due - cadenceSeconds * 1000 - toleratedSkew <= at;

/**
 * When the delivery after one is due, in milliseconds since 1970: a cadence later. Of whole days it is the last preferred minute, in
 * UTC, until then, so that deliveries do not wander through the day.
 *
 * @param at when the delivery was created, however late: what was missed is one delivery
 */
export function dueAfter(at: number, { cadenceSeconds, preferredMinuteOfDay }: Cadence): number {
  const due = at + cadenceSeconds * 1000;
  if (preferredMinuteOfDay === null || (cadenceSeconds * 1000) % day !== 0) return due;
  const preferred = preferredMinuteOfDay * minute;
  return Math.floor((due - preferred) / day) * day + preferred;
}
