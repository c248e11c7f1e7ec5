import type { RecordName } from "@cadastre/reso";
import { InvalidArgumentError, Option } from "commander";
import { type Source, sources } from "../ingest/sources.ts";
import { CommandRefused } from "./outcome.ts";
import { number } from "./progress.ts";

/** What the commands that stage records have in common. */
export const resourceOption = (names: readonly RecordName[]): Option =>
  new Option("--resource <resource>", "what the records are").choices(names).makeOptionMandatory();

export const sourceOption = (): Option =>
  new Option("--source <source>", "where they come from")
    .choices(sources.map(({ name }) => name))
    .makeOptionMandatory();

export const maxRejectsOption = (): Option =>
  new Option("--max-rejects <count>", "stop if more records than this are not taken").argParser(parseCount);

export const allowShrinkOption = (): Option =>
  new Option("--allow-shrink", "let more be removed than CADASTRE_MAX_SHRINK percent of a set");

export const jsonOption = (): Option => new Option("--json", "write the result for machines");

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

export function sourceNamed(name: string): Source {
  const found = sources.find((source) => source.name === name);
  if (found === undefined) throw new CommandRefused(`there is no source \`${name}\``);
  return found;
}

/** Tells how many of the records that were taken the rejects file says something of. */
export const notesText = (noted: number, rejects: string): string =>
  noted === 0 ? "" : ` Noted something of ${number(noted)} records that are taken: see ${rejects}.`;
