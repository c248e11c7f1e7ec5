import { printable, relativeTime } from "@cadastre/client/terminal";
import type { OperatorFilter } from "@cadastre/delivery";
import { type Command, Option } from "commander";
import { CommandRefused, printMessage, printResult } from "../outcome.ts";
import { parseRowCount } from "../staging-options.ts";
import { table } from "../table.ts";

/** Options of a command that lists objects of all customers. */
export type ListFlags = {
  readonly customer?: string;
  readonly status?: readonly string[];
  readonly limit: number;
  readonly json?: true;
};

export const machineOption = () => new Option("--json", "write the result for machines");

/** Adds the options that restrict a list. @param states values of `--status`; by default it has none */
export function withListOptions(command: Command, states?: readonly string[]): Command {
  command.option("--customer <customer>", "those of this customer alone");
  if (states !== undefined)
    command.addOption(new Option("--status <status...>", "those with one of these states").choices(states));
  return command
    .option("--limit <count>", "the last so many of them", parseRowCount, 50)
    .addOption(machineOption());
}

/** Returns the restriction of a list. @param states states without `--status`; by default all */
export const operatorFilter = (
  { customer, status, limit }: ListFlags,
  states?: readonly string[],
): OperatorFilter => ({
  customer,
  states: status ?? states,
  limit,
});

/** A list with its rows for people and its objects for machines. */
type Listing = {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly objects: readonly object[];
  /** Message in place of an empty table. */
  readonly none: string;
};

/** Prints a list as a table, or as JSON with `--json`. */
export function printListing(
  { heads, rows, objects, none }: Listing,
  { json }: Pick<ListFlags, "json">,
): void {
  if (json) printResult(JSON.stringify(objects, null, 2));
  else if (rows.length === 0) printMessage(none);
  else
    printResult(
      table(
        heads,
        rows.map((row) => row.map(printable)),
      ),
    );
}

/** Formats the members of one object for people. */
export const membersText = (members: Readonly<Record<string, string | number | null>>): string =>
  table(
    ["MEMBER", "VALUE"],
    Object.entries(members).map(([name, value]) => [name, value === null ? "–" : printable(String(value))]),
  );

/** Formats an instant for people; a dash if there is none. */
export const sinceText = (at: number | null, now: number): string =>
  at === null ? "–" : relativeTime(at, now);

type ObjectKind = "delivery" | "subscription" | "destination" | "webhook";

/** Returns an object that was looked up. @throws {CommandRefused} if there is none */
export function requireObject<T>(found: T | undefined, kind: ObjectKind, id: string): T {
  if (found !== undefined) return found;
  throw new CommandRefused(`there is no ${kind} \`${id}\`: \`cadastre ${kind} list\` shows the ids`, {
    failureCode: "not_found",
  });
}
