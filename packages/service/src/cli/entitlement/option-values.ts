import { InvalidArgumentError } from "commander";

/** Parses a whole number of days, from one day to ten years. */
export function readDays(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > 3660) throw new InvalidArgumentError("It must be a whole number from 1 to 3660.");
  return days;
}

/** Parses an ISO 8601 instant with its offset from UTC. */
export function readInstant(text: string): Date {
  const at = new Date(/^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : Number.NaN);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError("It must be like 2026-01-31T00:00:00Z.");
  return at;
}
