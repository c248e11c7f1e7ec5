import type { RefusedOptions } from "./refused-options.ts";

/** Options of a command that asks for deliveries of some of the records, or of some of their fields. */
export const filterOption = [
  "--filter <condition>",
  "only records that meet this, written as $filter: \"City eq 'Austin'\"",
] as const;

export const selectOption = [
  "--select <fields>",
  "only these fields, separated by commas; the key is always delivered",
  (text: string): readonly string[] => text.split(",").map((name) => name.trim()),
] as const;

/** Refusals of the options. That of a condition itself has the place of the fault, and is shown as it is. */
export const refusedNarrowing: RefusedOptions = {
  filter_not_available: ["--filter", "records of this domain cannot be filtered: leave it out"],
  invalid_select: ["--select", "it must name fields of the profile that you may see, at least one"],
};
