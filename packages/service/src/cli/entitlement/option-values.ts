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

/** Parses a list with commas between its items. */
export function readNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError("It must be names with commas between.");
  return names;
}

/** Parses regions such as `state:TX,county:TX/Travis`. Their kinds and values are checked with the document. */
export function readRegions(text: string): readonly { readonly kind: string; readonly value: string }[] {
  return readNames(text).map((item) => {
    const colon = item.indexOf(":");
    if (colon < 1)
      throw new InvalidArgumentError("It must be like `state:TX` or `county:TX/Travis,zip:78701`.");
    return { kind: item.slice(0, colon), value: item.slice(colon + 1) };
  });
}
