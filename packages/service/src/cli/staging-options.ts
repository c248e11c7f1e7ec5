import type { RecordName } from "@cadastre/reso";
import { InvalidArgumentError, Option } from "commander";
import type { NoteCode, NoteCounts } from "../ingest/notes.ts";
import { deletionChoices } from "../replicate/deletion-choice.ts";
import { number } from "./progress.ts";

// Options of the commands that stage records.
export const resourceOption = (names: readonly RecordName[]): Option =>
  new Option("--resource <resource>", "what the records are").choices(names).makeOptionMandatory();

export const sourceOption = (): Option =>
  new Option(
    "--source <source>",
    "where they come from: the id of a system, or dictionary for what all share",
  ).makeOptionMandatory();

export const maxRejectsOption = (): Option =>
  new Option("--max-rejects <count>", "stop if more records than this are not taken").argParser(
    parseRowCount,
  );

export const allowShrinkOption = (): Option =>
  new Option("--allow-shrink", "allow more than CADASTRE_MAX_SHRINK percent of a set to be removed");

/** `--deletions`: without it there are none. */
export const deletionsOption = (): Option =>
  new Option(
    "--deletions <how>",
    "how what a Web API has deleted is found: by EntityEvent, by delta links of OData, as it is found to tell of it (auto), or by comparing all keys at each run (default: none)",
  ).choices(deletionChoices);

/** Says that a copy keeps what its source has deleted. @param choice what makes it seen */
export const unseenDeletions = (choice: string): string =>
  `What the source deletes is not seen, and stays here: ${choice}`;

/** `--round` and `--exact`: field names separated by commas; both may be repeated. */
export const roundOption = (): Option =>
  new Option(
    "--round <fields>",
    "also round values of these fields that have too many digits, instead of rejecting them (repeatable)",
  ).argParser(parseNames);

export const exactOption = (): Option =>
  new Option(
    "--exact <fields>",
    "never round these fields: reject values with too many digits (repeatable)",
  ).argParser(parseNames);

const parseNames = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(",").map((name) => name.trim()),
];

const noteVerbs: Readonly<Record<NoteCode, string>> = {
  rounded: "Rounded",
  computed: "Computed here instead of taken from the source:",
  placekey_far_from_coordinates: "Not stored, too far from the coordinates:",
  placekey_outside_state: "Not stored, outside the state:",
  assigned_placekey_far_from_coordinates: "Stored as the crosswalk says, though far from the coordinates:",
  assigned_placekey_outside_state: "Stored as the crosswalk says, though outside the state:",
};

/** Returns the part of a command's summary about records that were changed at ingest. */
export const noteSummary = ({ noted }: { readonly noted: NoteCounts }): string =>
  Object.entries(noteVerbs)
    .map(([note, verb]) => {
      const fields = Object.entries(noted[note as NoteCode] ?? {});
      const counted = fields.map(([field, count]) => `${field} ${number(count)}`).join(", ");
      return counted === "" ? "" : ` ${verb} ${counted}.`;
    })
    .join("");

export const stagingJsonOption = (): Option => new Option("--json", "write the result for machines");

export function parseRowCount(text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new InvalidArgumentError("It must be a whole number from 0 to 999999999.");
  return Number(text);
}
