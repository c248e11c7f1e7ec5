import { InvalidArgumentError } from "commander";
import { durationText, readDuration } from "../terminal/times.ts";

/** Shortest and longest cadence, in seconds. Source: interface specification, section 4.3. */
const bounds = { least: 60, most: 31 * 86_400 } as const;

export const cadenceForm = "a duration from 1m to 31d, such as 15m, 6h or 1d";

/** Parses a cadence such as `1d` to seconds. @throws {InvalidArgumentError} */
export function parseCadence(text: string): number {
  const seconds = (readDuration(text) ?? 0) / 1000;
  if (seconds < bounds.least || seconds > bounds.most)
    throw new InvalidArgumentError(`It must be ${cadenceForm}.`);
  return seconds;
}

/** Formats a cadence in seconds as {@link parseCadence} reads it. */
export const cadenceText = (seconds: number): string => durationText(seconds * 1000);

/** Parses a minute of the day: a number, or a time such as `04:00`. @throws {InvalidArgumentError} */
export function parseMinute(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  const isTime = hours !== undefined && Number(hours) < 24 && Number(minutes) < 60;
  const minute = isTime ? Number(hours) * 60 + Number(minutes) : /^\d{1,4}$/.test(text) ? Number(text) : 1440;
  if (minute > 1439)
    throw new InvalidArgumentError(
      "It must be a time in UTC from 00:00 to 23:59, or a minute from 0 to 1439.",
    );
  return minute;
}
